import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { isAbsent } from "#kit/platform/file-errors.ts";

/** A folder that contains an app. */
export interface AppFolder {
  /** Names of the folders from the agents' folder down, joined with dots. */
  readonly name: string;
  readonly directory: string;
  /** The file that makes it an app. */
  readonly file: string;
  readonly language: "typescript" | "yaml";
}

export const MODULE_FILES: readonly string[] = [
  "agent.ts",
  "index.ts",
  "agent.js",
  "agent.mjs",
  "index.js",
  "index.mjs",
];
/** The file names of compiled apps, searched in build output folders. */
export const BUILT_FILES: readonly string[] = ["agent.js", "agent.mjs", "index.js", "index.mjs"];
export const DEFINITION_FILES: readonly string[] = ["root_agent.yaml", "root_agent.yml", "root_agent.json"];

const MAX_DEPTH = 4;
/** Names of folders that contain no apps. */
export const NEVER_APPS: ReadonlySet<string> = new Set(["node_modules", "tmp"]);

export interface FolderSearch {
  readonly root: string;
  /** The name of the only app, which is the folder itself. */
  readonly appName?: string | undefined;
  /** File names that make a folder an app; the first match is used. */
  readonly files: readonly string[];
  /** Folders to leave out, absolute. */
  readonly except?: readonly string[];
  /** The folder inside an app's folder that holds its definition as long as the app has no file of its own. */
  readonly draftFolder?: string;
}

/** The result of a search, with the folders that could not be read. */
export interface FoundApps {
  readonly apps: ReadonlyMap<string, AppFolder>;
  readonly unreadable: readonly UnreadableFolder[];
}

/** A folder that could not be read: it may contain apps. */
export interface UnreadableFolder {
  readonly directory: string;
  readonly error: unknown;
}

/**
 * Finds the apps below a folder, by name. If the folder is an app itself, it is the only one, named after the folder.
 * Folders inside an app, hidden folders and those that begin with `_` contain no apps. A missing folder contains none.
 * Never throws.
 */
export async function findAppFolders(search: FolderSearch): Promise<FoundApps> {
  return new Search(search).run();
}

class Search {
  readonly #search: FolderSearch;
  readonly #apps = new Map<string, AppFolder>();
  readonly #unreadable: UnreadableFolder[] = [];

  constructor(search: FolderSearch) {
    this.#search = search;
  }

  async run(): Promise<FoundApps> {
    const root = resolve(this.#search.root);
    const { appName, files } = this.#search;
    await this.#visit(root, async () => {
      const own = await appIn(root, appName ?? basename(root), files);
      if (own !== undefined) this.#apps.set(own.name, own);
      else if (appName === undefined) await this.#collect(root, []);
    });
    return { apps: this.#apps, unreadable: this.#unreadable };
  }

  async #collect(directory: string, names: readonly string[]): Promise<void> {
    for (const child of await foldersIn(directory)) {
      const path = join(directory, child);
      if (this.#search.except?.includes(path) === true) continue;
      await this.#visit(path, async () => {
        const inner = [...names, child];
        const app = await appIn(path, inner.join("."), this.#search.files);
        const found = app ?? (await this.#draftIn(path, inner));
        if (found !== undefined) this.#apps.set(found.name, found);
        // A draft does not make a folder of apps one app.
        if (app === undefined && inner.length < MAX_DEPTH) await this.#collect(path, inner);
      });
    }
  }

  async #draftIn(directory: string, names: readonly string[]): Promise<AppFolder | undefined> {
    const { draftFolder, files } = this.#search;
    if (draftFolder === undefined) return undefined;
    const definitions = files.filter((file) => DEFINITION_FILES.includes(file));
    return appIn(join(directory, draftFolder), names.join("."), definitions);
  }

  async #visit(directory: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.#unreadable.push({ directory, error });
    }
  }
}

/** Names of the folders in a folder, sorted. Links to folders count, because clusters mount files that way. */
export async function foldersIn(directory: string): Promise<readonly string[]> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  const names = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
  // A dot would make a name ambiguous.
  return names.filter((name) => !/^_|\./.test(name) && !NEVER_APPS.has(name)).sort();
}

async function appIn(directory: string, name: string, files: readonly string[]): Promise<AppFolder | undefined> {
  for (const candidate of files) {
    const file = join(directory, candidate);
    if (!(await isFile(file))) continue;
    return { name, directory, file, language: DEFINITION_FILES.includes(candidate) ? "yaml" : "typescript" };
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
