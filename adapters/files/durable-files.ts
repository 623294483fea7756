import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAbsent } from "#kit/platform/file-errors.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { codeOf, fileStep } from "./file-errors.ts";

/**
 * The file operations of the stores. The result of a resolved promise survives a power loss: the bytes are flushed
 * first, then the file is renamed, then its folder is flushed. Each failed operation can be repeated.
 */

/** Writes a file under a temporary name, not yet visible to readers. A failure leaves no file. */
export function writeTemporary(path: string, bytes: Uint8Array | string): Promise<void> {
  return fileStep(async () => {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
      await file.close();
    } catch (error) {
      await file.close().catch(() => {});
      // A file that cannot be removed now is removed at the next start.
      await unlink(path).catch(() => {});
      throw error;
    }
  });
}

/**
 * Renames the temporary file unless the name is taken; returns whether it was free. If so, the temporary name no longer
 * exists.
 */
export async function claimName(temporary: string, path: string): Promise<boolean> {
  try {
    await fileStep(() => link(temporary, path));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  // A second name of the same file is harmless, and an error here would mean that the name was not claimed.
  await unlink(temporary).catch(() => {});
  return true;
}

/** Replaces the file of that name, if any, with the temporary file. A failure leaves no temporary file. */
export async function replaceFile(temporary: string, path: string): Promise<void> {
  try {
    await fileStep(() => rename(temporary, path));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Folders that were created and whose names may not be on the disk yet. */
const UNSYNCED = new Set<string>();

/** Creates the folder and its missing parents, durably. */
export async function makeFolder(path: string): Promise<void> {
  const first = await fileStep(() => mkdir(path, { recursive: true, mode: 0o700 }));
  if (first !== undefined) {
    for (let folder = path; folder.length >= first.length; folder = dirname(folder)) UNSYNCED.add(folder);
  }
  if (UNSYNCED.size === 0) return;
  // Flushes the folders that an earlier attempt created and could not flush.
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (!UNSYNCED.has(folder)) continue;
    await syncFolder(dirname(folder));
    UNSYNCED.delete(folder);
  }
}

/** Flushes the names in a folder. */
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

/** The names in a folder; none if the folder does not exist. */
export async function listNames(path: string): Promise<readonly string[]> {
  return (await orMissing(() => readdir(path))) ?? [];
}

export function readIfPresent(path: string): Promise<Buffer | undefined> {
  return orMissing(() => readFile(path));
}

/** The bytes of a range, fewer at the file's end; undefined if there is no such file. */
export function readRangeIfPresent(
  path: string,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Buffer | undefined> {
  return orMissing(async () => {
    const file = await open(path, "r");
    try {
      const buffer = Buffer.allocUnsafe(bytes);
      let length = 0;
      while (length < bytes) {
        const { bytesRead } = await file.read(buffer, length, bytes - length, from + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  });
}

export async function sizeIfPresent(path: string): Promise<number | undefined> {
  return (await orMissing(() => stat(path)))?.size;
}

/** When the file was last written, in milliseconds since the epoch. */
export async function writtenAt(path: string): Promise<number | undefined> {
  return (await orMissing(() => stat(path)))?.mtimeMs;
}

/** Whether the file exists or may exist. */
export async function mayExist(path: string): Promise<boolean> {
  try {
    return (await sizeIfPresent(path)) !== undefined;
  } catch {
    return true;
  }
}

/** Returns whether the file existed. */
export async function removeIfPresent(path: string): Promise<boolean> {
  return (await orMissing(() => unlink(path).then(() => true))) ?? false;
}

export async function removeTree(path: string): Promise<void> {
  // A save that began earlier may add a file while the folder is emptied.
  await fileStep(() => rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 10 }));
}

/**
 * Names for temporary files, unique within the process; the files that an earlier process left are removed on first
 * use.
 */
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
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
