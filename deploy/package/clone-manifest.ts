import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of the clone's package.json from which the published one is made. */
export interface CloneManifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  /** Public names, such as "./kit", and the sources or files that they stand for. */
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface PublicEntry {
  /** The name below the package's, such as "./kit/testing". */
  readonly name: string;
  /** From the root, such as "kit/testing/index.ts". */
  readonly source: string;
}

export function readCloneManifest(root: string): CloneManifest {
  // The file is ours, and the build fails if a field is missing.
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as CloneManifest;
}

/** The exports that are modules. */
export function publicEntries({ exports }: CloneManifest): readonly PublicEntry[] {
  return Object.entries(exports)
    .filter(([, source]) => source.endsWith(".ts"))
    .map(([name, source]) => ({ name, source: source.replace(/^\.\//, "") }));
}

/** The path of a source's compiled form without its extension: "./cli/main.ts" is "cli/main". */
export function compiledName(source: string): string {
  return source.replace(/^\.\//, "").replace(/\.m?[jt]s$/, "");
}
