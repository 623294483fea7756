import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";

const LOCK_FILE = "lock";
const SQLITE_BUSY = 5;

/** The data folder, locked by this process until it is disposed of. */
export interface DataDir extends Disposable {
  readonly path: string;
}

/**
 * Creates the folder if it is missing and locks it for this process. The lock is SQLite's on an empty file: the
 * operating system releases it with the process, however that ends. Throws `DATA_DIR_IN_USE` and `DATA_DIR_UNWRITABLE`.
 */
export function openDataDir(folder: string): DataDir {
  const path = resolve(folder);
  createFolder(path, folder);
  const lock = takeLock(path, folder);
  return { path, [Symbol.dispose]: () => lock.close() };
}

function createFolder(path: string, folder: string): void {
  try {
    // Conversations are private: only this user may read them.
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!statSync(path).isDirectory()) throw new Error("not a folder");
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

function takeLock(path: string, folder: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    if (!isBusy(error)) throw unwritable(folder, error);
    throw new PlatformError(
      "DATA_DIR_IN_USE",
      `Another server uses the data folder "${folder}". Stop it, or choose another folder with --data-dir (DATA_DIR).`,
      { cause: error },
    );
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

function unwritable(folder: string, cause: unknown): PlatformError {
  return new PlatformError(
    "DATA_DIR_UNWRITABLE",
    `The data folder "${folder}" cannot be written. Check that it is a folder and its permissions, or choose another with --data-dir (DATA_DIR).`,
    { cause },
  );
}
