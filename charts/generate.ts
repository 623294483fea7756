import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHART, generatedFiles } from "./generated-files.ts";

/**
 * Writes the chart's README and the schema of its values. With `--check` it only names those that are out of date, and
 * fails.
 */
for (const [name, text] of generatedFiles()) {
  const path = join(CHART, name);
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (process.argv.includes("--check")) {
    process.stderr.write(`charts/fairlead/${name} is out of step. Run: node charts/generate.ts\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
  }
}
