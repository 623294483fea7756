import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "#kit/platform/file-errors.ts";
import { refusal } from "./definition-path.ts";

/**
 * The limits of what the editor creates in a folder of agents. Files that the editor did not create count too, and are
 * never changed.
 */
export interface EditorLimits {
  /** Folders below the folder of agents, outside apps. */
  readonly maxFolders: number;
  readonly maxFilesPerApp: number;
  readonly maxBytesPerApp: number;
  readonly maxFileBytes: number;
}

export const EDITOR_LIMITS: EditorLimits = {
  maxFolders: 200,
  maxFilesPerApp: 100,
  maxBytesPerApp: 2 * 1024 * 1024,
  // The loader reads at most this much of a file.
  maxFileBytes: 256 * 1024,
};

/** Throws `INVALID_FIELD` if the app would exceed its limits, including its other definitions. */
export async function assertFits(
  directory: string,
  files: ReadonlyMap<string, string>,
  { maxFilesPerApp, maxBytesPerApp, maxFileBytes }: EditorLimits,
): Promise<void> {
  for (const [path, text] of files)
    if (Buffer.byteLength(text) > maxFileBytes) throw refusal(path, `is over ${maxFileBytes / 1024} KiB`);
  const sizes = await definitionSizes(directory, maxFilesPerApp);
  for (const [path, text] of files) sizes.set(join(directory, path), Buffer.byteLength(text));
  if (sizes.size > maxFilesPerApp)
    throw refusal(firstOf(files), `would be one file too many: an app has at most ${maxFilesPerApp} definitions`);
  const total = sizes.values().reduce((sum, bytes) => sum + bytes, 0);
  if (total > maxBytesPerApp)
    throw refusal(
      firstOf(files),
      `is too much: the definitions of an app have at most ${maxBytesPerApp / 1024} KiB together`,
    );
}

/** Throws `INVALID_FIELD` if the folder of agents has no room for one more app. */
export async function assertRoomForApp(root: string, appName: string, { maxFolders }: EditorLimits): Promise<void> {
  let left = maxFolders;
  const count = async (directory: string, depth: number): Promise<void> => {
    for (const entry of await entriesIn(directory)) {
      if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
      left -= 1;
      if (left <= 0) throw refusal(appName, `would be one app too many: the editor makes at most ${maxFolders}`);
      if (depth < MAX_DEPTH) await count(join(directory, entry.name), depth + 1);
    }
  };
  await count(root, 1);
}

const MAX_DEPTH = 4;

/** Sizes of the definitions below a folder, by path. Stops if there are more than `max`. */
async function definitionSizes(directory: string, max: number): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const waiting = [directory];
  for (const folder of waiting) {
    for (const entry of await entriesIn(folder)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (/\.ya?ml$/i.test(entry.name)) sizes.set(path, (await stat(path)).size);
      if (sizes.size > max) return sizes;
    }
  }
  return sizes;
}

async function entriesIn(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function firstOf(files: ReadonlyMap<string, string>): string {
  return files.keys().next().value ?? "";
}
