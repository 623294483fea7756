import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** What is searched: an agent, and a text of its instruction. Without a text, the name of the agent. */
export interface Sought {
  readonly agent: string;
  readonly text?: string;
}

/** A problem of an app. */
export interface AgentProblem {
  readonly level: "error" | "warning";
  readonly message: string;
  /** Where the problem is in the app's files. */
  readonly source?: Sought;
}

/** A place in a file below the searched folder, from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const SOURCE = /(?<!\.test)\.(?:[cm]?[jt]s|ya?ml)$/;
const NEVER = /^(?:node_modules$|\.)/;
// A folder of agents can have anything beside them.
const MAX_FILES = 200;
const MAX_FOLDERS = 200;
const MAX_BYTES = 1_000_000;

/**
 * The place in the sources of a folder: behind the agent's name, or in another file if instructions are in files of their
 * own. Undefined if no source has it, as with a text that code puts together.
 */
export async function findSource(directory: string, { agent, text }: Sought): Promise<SourcePlace | undefined> {
  let elsewhere: SourcePlace | undefined;
  for (const file of await sourcesBelow(directory)) {
    const path = join(directory, file);
    if ((await stat(path)).size > MAX_BYTES) continue;
    const source = await readFile(path, "utf8");
    const named = nameIn(source, agent);
    if (text === undefined) {
      if (named !== -1) return { file, ...placeAt(source, named) };
      continue;
    }
    const behind = named === -1 ? -1 : source.indexOf(text, named);
    if (behind !== -1) return { file, ...placeAt(source, behind) };
    const at = source.indexOf(text);
    if (at !== -1) elsewhere ??= { file, ...placeAt(source, at) };
  }
  return elsewhere;
}

/** Files directly in the folder first. */
async function sourcesBelow(directory: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [""];
  for (const folder of folders) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isFile() && SOURCE.test(entry.name) && files.length < MAX_FILES) files.push(join(folder, entry.name));
      if (entry.isDirectory() && !NEVER.test(entry.name) && folders.length < MAX_FOLDERS)
        folders.push(join(folder, entry.name));
    }
  }
  return files;
}

/** Where the name of the agent is set, in code or in a definition; -1 if nowhere. */
function nameIn(source: string, agent: string): number {
  for (const quote of ['"', "'", "`", ""]) {
    const written = `name: ${quote}${agent}${quote}`;
    const at = source.indexOf(written);
    if (at !== -1 && !/[\p{L}\p{N}_$-]/u.test(source[at + written.length] ?? "")) return at;
  }
  return -1;
}

function placeAt(source: string, at: number): Omit<SourcePlace, "file"> {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
