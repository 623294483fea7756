// Compares the public names with the reviewed list; with --update, accepts them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeExports, EXPORT_LIST } from "./exported-names.ts";

const root = join(import.meta.dirname, "../..");
const path = join(root, EXPORT_LIST);
const names = describeExports(root);
if (process.argv.includes("--update")) {
  writeFileSync(path, names);
  console.log(`Written: ${EXPORT_LIST}. Review its diff.`);
} else if (names !== readFileSync(path, "utf8")) {
  console.error(`The public names differ from ${EXPORT_LIST}. npm run exports -- --update accepts them.`);
  process.exitCode = 1;
}
