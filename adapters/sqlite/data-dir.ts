import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";

const LOCK_FILE = "lock";
const RESERVE_FILE = "reserved-space";
const RESERVED_BYTES = 1024 * 1024;
const SQLITE_BUSY = 5;

/** A data folder, locked by this process until it is disposed of. */
export interface DataDir extends Disposable {
  readonly path: string;
}

export interface DataDirOptions {
  /**
   * A name for this use of the folder. Different uses in one process share its lock. Absent: there may be no other use.
   */
  readonly use?: string;
  /** How the caller chooses another folder; completes the sentence of an error. */
  readonly otherFolder: string;
}

interface Lock {
  readonly database: DatabaseSync;
  readonly uses: Set<string | undefined>;
}

/** The locks of this process: SQLite's lock excludes other connections of the same process too. */
const locks = new Map<string, Lock>();

/**
 * Creates the folder if it is missing and locks it for this process. The lock is SQLite's on an empty file: the
 * operating system releases it with the process, however that ends. Throws `DATA_DIR_IN_USE` and `DATA_DIR_UNWRITABLE`.
 */
export function openDataDir(folder: string, options: DataDirOptions): DataDir {
  const path = prepareDataDir(folder, options);
  const key = realpathSync(path);
  const { use } = options;
  const held = locks.get(key);
  if (held !== undefined && (use === undefined || held.uses.has(undefined) || held.uses.has(use)))
    throw inUse(folder, options);
  const lock = held ?? { database: takeLock(path, folder, options), uses: new Set() };
  // The databases need its space for their logs.
  if (held === undefined) rmSync(join(path, RESERVE_FILE), { force: true });
  locks.set(key, lock);
  lock.uses.add(use);
  return {
    path,
    [Symbol.dispose]: () => {
      // Disposing again does nothing.
      if (!lock.uses.delete(use) || lock.uses.size > 0) return;
      locks.delete(key);
      reserveSpace(path);
      lock.database.close();
    },
  };
}

/**
 * Creates the folder if it is missing, and does not lock it: for a file that several processes may use. Returns its path.
 * Throws `DATA_DIR_UNWRITABLE`.
 */
export function prepareDataDir(folder: string, options: Pick<DataDirOptions, "otherFolder">): string {
  const path = resolve(folder);
  try {
    // Conversations are private: only this user may read them.
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) excludeFromGit(path);
    if (!statSync(path).isDirectory()) throw new Error("not a folder");
    accessSync(path, constants.W_OK);
    return path;
  } catch (error) {
    throw unwritable(folder, options, error);
  }
}

/**
 * Databases that are closed have no log, and a full disk has no space for new ones: reads would not be served after the
 * next start. A process that is killed leaves the logs.
 */
function reserveSpace(path: string): void {
  try {
    writeFileSync(join(path, RESERVE_FILE), Buffer.alloc(RESERVED_BYTES), { mode: 0o600 });
  } catch {
    // The disk is full already, or the folder was removed. What was written is kept.
  }
}

/** Keeps conversations out of any repository that the folder is in; a folder that existed is left as it is. */
function excludeFromGit(path: string): void {
  writeFileSync(join(path, ".gitignore"), "*\n", { mode: 0o600 });
}

function takeLock(path: string, folder: string, options: DataDirOptions): DatabaseSync {
  // Not imported: Node 22 warns of the module in programs that use no folder.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(join(path, LOCK_FILE), "a", 0o600));
    database = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    throw isBusy(error) ? inUseElsewhere(folder, options, error) : unwritable(folder, options, error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

function inUse(folder: string, { otherFolder }: DataDirOptions): PlatformError {
  return new PlatformError(
    "DATA_DIR_IN_USE",
    `This process already uses the data folder "${folder}". Dispose of the stores in it, or choose another folder ${otherFolder}.`,
  );
}

function inUseElsewhere(folder: string, { otherFolder }: DataDirOptions, cause: unknown): PlatformError {
  return new PlatformError(
    "DATA_DIR_IN_USE",
    `Another server uses the data folder "${folder}". Stop it, or choose another folder ${otherFolder}.`,
    { cause },
  );
}

function unwritable(
  folder: string,
  { otherFolder }: Pick<DataDirOptions, "otherFolder">,
  cause: unknown,
): PlatformError {
  return new PlatformError(
    "DATA_DIR_UNWRITABLE",
    `The data folder "${folder}" cannot be written. Check that it is a folder and its permissions, or choose another ${otherFolder}.`,
    { cause },
  );
}
