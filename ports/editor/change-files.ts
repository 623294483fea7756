import { constants } from "node:fs";
import { copyFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAbsent } from "#kit/platform/file-errors.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";

export interface FileChange {
  /** The file's folder exists. */
  readonly path: string;
  /** Undefined removes the file. */
  readonly text: string | undefined;
}

interface StagedChange {
  readonly path: string;
  /** The new file next to the old one; undefined for a file that is removed. */
  readonly next: string | undefined;
  /** A copy of the current file, to undo the change. */
  readonly copy: string;
  hasCopy: boolean;
}

/**
 * Makes all changes, or none if one of them fails. Everything that needs space is written next to the files before the
 * first of them changes; if a later step fails, the changed files are restored.
 */
export async function changeFiles(changes: readonly FileChange[], ids: IdGenerator): Promise<void> {
  const staged: StagedChange[] = [];
  const changed: StagedChange[] = [];
  const beside = (path: string): string => join(dirname(path), `.${ids.next()}.part`);
  try {
    for (const { path, text } of changes) {
      const change = { path, next: text === undefined ? undefined : beside(path), copy: beside(path), hasCopy: false };
      staged.push(change);
      if (change.next !== undefined) await writeFile(change.next, text ?? "", { flag: "wx", flush: true, mode: 0o600 });
      change.hasCopy = await copyIfPresent(path, change.copy);
    }
    for (const change of staged) {
      if (change.next === undefined) await rm(change.path, { force: true });
      else await rename(change.next, change.path);
      changed.push(change);
    }
  } catch (error) {
    for (const { path, copy, hasCopy } of changed.reverse()) {
      if (hasCopy) await rename(copy, path);
      else await rm(path, { force: true });
    }
    throw error;
  } finally {
    for (const { next, copy } of staged) {
      if (next !== undefined) await removeLeftover(next);
      await removeLeftover(copy);
    }
  }
}

async function copyIfPresent(path: string, copy: string): Promise<boolean> {
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** The changes are committed already, so a file that cannot be removed is not a failure. */
async function removeLeftover(path: string): Promise<void> {
  const remove = () => rm(path, { force: true });
  await remove()
    .catch(remove)
    .catch(() => {});
}
