import { readFileSync } from "node:fs";
import { compareScores } from "./recorded-scores.ts";

// `npm run eval:scores -- FILE`: compares recorded scores of google-adk with those of the kit. Exit code 0 if all are
// equal, 1 if some differ, 2 if the file cannot be read.

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write("Usage: npm run eval:scores -- FILE\n");
  process.exit(2);
}
const { total, equal, differences } = await compareScores(readRecorded(path));
for (const difference of differences) process.stdout.write(`${difference}\n`);
process.stdout.write(`${equal} of ${total} equal\n`);
process.exitCode = equal === total ? 0 : 1;

function readRecorded(file: string) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    process.stderr.write(`${file}: ${String(error)}\n`);
    return process.exit(2);
  }
}
