import { link, mkdir, open, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * The few file operations that stores are made of. What a promise has answered survives a loss of power: the bytes are flushed
 * before a name is given to them, and the folder that holds the name after it.
 */

/** A file written under a name of its own, not yet visible to anybody. */
export async function writeTemporary(path: string, bytes: Uint8Array | string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await removeIfPresent(path);
    throw error;
  } finally {
    await file.close();
  }
}

/** Gives the temporary file its name unless that is taken; answers whether it was free. If so, the temporary name is gone. */
export async function claimName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
  await unlink(temporary);
  return true;
}

/** Puts the temporary file in the place of whatever had the name. */
export async function replaceFile(temporary: string, path: string): Promise<void> {
  await rename(temporary, path);
}

/** Makes the folder and those above it that are missing, durably. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder));
}

/** Flushes the names a folder holds. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The names in a folder; none when there is no such folder. */
export async function listNames(path: string): Promise<readonly string[]> {
  return (await orMissing(readdir(path))) ?? [];
}

export function readIfPresent(path: string): Promise<Buffer | undefined> {
  return orMissing(readFile(path));
}

/** Answers whether there was such a file. */
export async function removeIfPresent(path: string): Promise<boolean> {
  return (await orMissing(unlink(path).then(() => true))) ?? false;
}

export async function removeTree(path: string): Promise<void> {
  // A save that began before may add a file while the folder is emptied.
  await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 10 });
}

/** Names for temporary files, unique within the process; what an earlier process left behind is removed on first use. */
export class TemporaryNames {
  readonly #folder: string;
  #ready: Promise<void> | undefined;
  #last = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async next(): Promise<string> {
    this.#ready ??= removeTree(this.#folder).then(() => makeFolder(this.#folder));
    await this.#ready;
    this.#last += 1;
    return join(this.#folder, String(this.#last));
  }
}

export function isMissing(error: unknown): boolean {
  // ENOTDIR: a file lies where the path has a folder, so the path names nothing.
  return hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR");
}

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
