import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedPages } from "./pages.ts";

/** Writes the generated pages. With `--check` it only names those that are out of step with the code, and fails. */
async function main(args: readonly string[]): Promise<void> {
  for (const [name, text] of await generatedPages()) {
    const path = join(import.meta.dirname, "..", name);
    const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (before === text) continue;
    if (args.includes("--check")) {
      process.stderr.write(`docs/${name} is out of step with the code. Run: npm run generate\n`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, text);
    }
  }
}

await main(process.argv.slice(2));
