import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildDeclarations } from "./build-declarations.ts";
import { buildJavaScript } from "./build-javascript.ts";
import { publicEntries, readCloneManifest } from "./clone-manifest.ts";
import { describeExports, EXPORT_LIST } from "./exported-names.ts";
import { OUTPUT, publishedManifest } from "./published-manifest.ts";

/** Compiles the package below `root`, and returns its package.json. Writes nothing outside the output folder. */
export async function buildPackage(root: string): Promise<Readonly<Record<string, unknown>>> {
  if (describeExports(root) !== readFileSync(join(root, EXPORT_LIST), "utf8")) {
    throw new Error(`The public names differ from ${EXPORT_LIST}. npm run exports -- --update accepts them.`);
  }
  const clone = readCloneManifest(root);
  const output = join(root, OUTPUT);
  const entries = publicEntries(clone).map(({ source }) => source);
  rmSync(output, { recursive: true, force: true });
  const aliases = clone["imports"] as Readonly<Record<string, string>>;
  const imported = await buildJavaScript(root, [...entries, ...Object.values(clone.bin)], output);
  buildDeclarations({ root, entries, aliases, output });
  const missing = [...imported].filter((name) => clone.dependencies[name] === undefined);
  if (missing.length > 0) {
    throw new Error(`The package imports ${missing.join(", ")}: add that to "dependencies" of package.json.`);
  }
  return publishedManifest(clone);
}
