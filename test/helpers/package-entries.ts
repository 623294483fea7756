import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "./source-files.ts";

const manifest: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(REPOSITORY_ROOT, "package.json"), "utf8"),
);

/** The entries of the package in TypeScript, such as `fairlead/kit`, and their files from the root. */
export const PACKAGE_ENTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries(manifest.exports)
    .filter(([, file]) => file.endsWith(".ts"))
    .map(([entry, file]) => [`fairlead/${entry.slice(2)}`, file.slice(2)]),
);

/** The entries as aliases of vitest, so that agents that tests write elsewhere get the kit of the tests. */
export const ENTRY_ALIASES = [...PACKAGE_ENTRIES].map(([entry, file]) => ({
  find: new RegExp(`^${entry}$`),
  replacement: join(REPOSITORY_ROOT, file),
}));
