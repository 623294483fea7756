import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "#kit/platform/file-errors.ts";

/** Files whose change needs a restart; definitions in YAML are reloaded by the server. */
const SOURCE = /\.[cm]?[jt]s$|^\.env$/;
const NEVER_SOURCES: ReadonlySet<string> = new Set(["node_modules", "dist", "coverage"]);
/** More files than a project of agents has: a wrong folder must not keep the disk busy. */
const MAX_FILES = 5000;

/** The modification times of the project's source files, as one text that changes with any of them. */
export async function sourceMtimes(folder: string): Promise<string> {
  const stamps: string[] = [];
  const visit = async (directory: string): Promise<void> => {
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(nothingIfAbsent)) {
      if (stamps.length >= MAX_FILES) return;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".") && !NEVER_SOURCES.has(entry.name)) await visit(path);
      } else if (SOURCE.test(entry.name)) {
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined) stamps.push(`${path} ${found.mtimeMs} ${found.size}`);
      }
    }
  };
  await visit(folder);
  return stamps.sort().join("\n");
}

function nothingIfAbsent(error: unknown): [] {
  if (isAbsent(error)) return [];
  throw error;
}
