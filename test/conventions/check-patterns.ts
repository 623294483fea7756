import { readSourceFiles } from "#test/helpers/source-files.ts";
import { findSlowPatterns } from "./slow-patterns.ts";

/** Part of `npm run check`: ends with 1 when a regular expression is not linear. */
const faults = await findSlowPatterns(readSourceFiles());
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
