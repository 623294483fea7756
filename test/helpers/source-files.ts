import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface SourceFile {
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

export const REPOSITORY_ROOT: string = join(import.meta.dirname, "../..");

const FOREIGN = new Set(["node_modules", ".git", ".data", ".dev-ui", "dist", "coverage"]);
const FOREIGN_PATHS = ["proto/generated", "bench/peer"];

/** The hand-written code below a folder: everything but dependencies, generated types and the benchmark's peer. */
export function readSourceFiles(root: string = REPOSITORY_ROOT): readonly SourceFile[] {
  const files: SourceFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = relative(root, join(folder, entry.name)).replaceAll("\\", "/");
      if (FOREIGN.has(entry.name) || FOREIGN_PATHS.includes(path)) continue;
      if (entry.isDirectory()) visit(join(folder, entry.name));
      else if (/\.(ts|mjs)$/.test(entry.name)) files.push({ path, text: readFileSync(join(root, path), "utf8") });
    }
  };
  visit(root);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
