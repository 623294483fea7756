import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** What is searched: an agent, and a text of its instruction. Without a text, the name of the agent. */
export interface Sought {
  readonly agent: string;
  readonly text?: string | undefined;
  /** The text stands alone: `a-1` is not found in `a-1.5`. */
  readonly isWord?: boolean;
}

/** A text to write in place of the one at a problem's place. */
export interface Repair {
  readonly from: string;
  readonly to: string;
  /** Has to match the line before it, so that the repair is certain. */
  readonly after?: RegExp;
}

/** A problem of an app. */
export interface AgentProblem {
  readonly level: "error" | "warning";
  readonly message: string;
  /** Where the problem is in the app's files. */
  readonly source?: Sought;
  /** Of the text that `source` finds. */
  readonly repair?: Repair;
}

/** A place in a file below the searched folder, from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text that was found. */
  readonly text: string;
  /** The line up to the place. */
  readonly before: string;
}

const SOURCE = /(?<!\.test)\.(?:[cm]?[jt]s|ya?ml)$/;
const NEVER = /^(?:node_modules$|\.)/;
const IMPORT = /(?<=\b(?:from|import)[\s(]{0,8}["'])[^"'\n]{1,500}(?=["'])/g;
// A folder of agents can have anything beside them.
const MAX_FILES = 200;
const MAX_FOLDERS = 200;
const MAX_BYTES = 1_000_000;

/**
 * The place in the sources of a folder: behind the agent's name, or in another file if instructions are in files of their
 * own. The agent's name if no source has the text, as one that code puts together; undefined if neither is found.
 */
export async function findSource(directory: string, { agent, text, isWord }: Sought): Promise<SourcePlace | undefined> {
  let elsewhere: SourcePlace | undefined;
  let name: SourcePlace | undefined;
  for await (const { file, source } of sourcesBelow(directory)) {
    const named = nameIn(source, agent);
    if (text === undefined) {
      if (named !== -1) return { file, ...placeAt(source, named, agent) };
      continue;
    }
    if (named !== -1) name ??= { file, ...placeAt(source, named, agent) };
    const indexOf = (from: number) => (isWord === true ? wordAt(source, text, from) : source.indexOf(text, from));
    const behind = named === -1 ? -1 : indexOf(named);
    if (behind !== -1) return { file, ...placeAt(source, behind, text) };
    const at = indexOf(0);
    if (at !== -1) elsewhere ??= { file, ...placeAt(source, at, text) };
  }
  return elsewhere ?? name;
}

/** Where the text stands without letters, digits, dots or hyphens around it; -1 if nowhere. */
function wordAt(source: string, word: string, from: number): number {
  const part = /[\w.-]/;
  let at = source.indexOf(word, from);
  while (at !== -1 && (part.test(source[at - 1] ?? "") || part.test(source[at + word.length] ?? "")))
    at = source.indexOf(word, at + 1);
  return at;
}

/** The first import in the sources of a folder whose path is the sought one: the place of the path. */
export async function findImport(
  directory: string,
  isSought: (path: string) => boolean,
): Promise<SourcePlace | undefined> {
  for await (const { file, source } of sourcesBelow(directory)) {
    for (const { 0: path, index } of source.matchAll(IMPORT)) {
      if (isSought(path)) return { file, ...placeAt(source, index, path) };
    }
  }
  return undefined;
}

async function* sourcesBelow(directory: string): AsyncGenerator<{ readonly file: string; readonly source: string }> {
  for (const file of await namesBelow(directory)) {
    const path = join(directory, file);
    if ((await stat(path)).size <= MAX_BYTES) yield { file, source: await readFile(path, "utf8") };
  }
}

/** Files directly in the folder first. */
async function namesBelow(directory: string): Promise<readonly string[]> {
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

function placeAt(source: string, at: number, text: string): Omit<SourcePlace, "file"> {
  const before = source.slice(0, at).split("\n");
  const line = before.at(-1) ?? "";
  return { line: before.length, column: line.length + 1, text, before: line };
}
