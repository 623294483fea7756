import { link, mkdir, open, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lazy } from "#kit/platform/lazy.ts";
import { codeOf, fileStep, isMissing } from "./file-errors.ts";

/**
 * The few file operations that stores are made of. What a promise has answered survives a loss of power: the bytes are flushed
 * before a name is given to them, and the folder that holds the name after it. Each operation that failed can be repeated.
 */

/** A file written under a name of its own, not yet visible to anybody. A failure leaves none. */
export function writeTemporary(path: string, bytes: Uint8Array | string): Promise<void> {
  return fileStep(async () => {
    const file = await open(path, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
      await file.close();
    } catch (error) {
      await file.close().catch(() => {});
      // What cannot be removed now goes at the next start.
      await unlink(path).catch(() => {});
      throw error;
    }
  });
}

/** Gives the temporary file its name unless that is taken; answers whether it was free. If so, the temporary name is gone. */
export async function claimName(temporary: string, path: string): Promise<boolean> {
  try {
    await fileStep(() => link(temporary, path));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  // A second name of the same file does no harm, and a failure would look as if the name had not been claimed.
  await unlink(temporary).catch(() => {});
  return true;
}

/** Puts the temporary file in the place of whatever had the name. A failure leaves no temporary file. */
export async function replaceFile(temporary: string, path: string): Promise<void> {
  try {
    await fileStep(() => rename(temporary, path));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Folders that were made and whose names are not known to be on the disk. */
const UNSYNCED = new Set<string>();

/** Makes the folder and those above it that are missing, durably. */
export async function makeFolder(path: string): Promise<void> {
  const first = await fileStep(() => mkdir(path, { recursive: true }));
  if (first !== undefined) {
    for (let folder = path; folder.length >= first.length; folder = dirname(folder)) UNSYNCED.add(folder);
  }
  if (UNSYNCED.size === 0) return;
  // What an earlier attempt made and could not flush is flushed now.
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (!UNSYNCED.has(folder)) continue;
    await syncFolder(dirname(folder));
    UNSYNCED.delete(folder);
  }
}

/** Flushes the names a folder holds. */
export function syncFolder(path: string): Promise<void> {
  return fileStep(async () => {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  });
}

/** The names in a folder; none when there is no such folder. */
export async function listNames(path: string): Promise<readonly string[]> {
  return (await orMissing(() => readdir(path))) ?? [];
}

export function readIfPresent(path: string): Promise<Buffer | undefined> {
  return orMissing(() => readFile(path));
}

/** Answers whether there was such a file. */
export async function removeIfPresent(path: string): Promise<boolean> {
  return (await orMissing(() => unlink(path).then(() => true))) ?? false;
}

export async function removeTree(path: string): Promise<void> {
  // A save that began before may add a file while the folder is emptied.
  await fileStep(() => rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 10 }));
}

/** Names for temporary files, unique within the process; what an earlier process left behind is removed on first use. */
export class TemporaryNames {
  readonly #folder: string;
  readonly #ready: () => Promise<void>;
  #last = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#ready = lazy(() => removeTree(folder).then(() => makeFolder(folder)));
  }

  async next(): Promise<string> {
    await this.#ready();
    this.#last += 1;
    return join(this.#folder, String(this.#last));
  }
}

async function orMissing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await fileStep(read);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
