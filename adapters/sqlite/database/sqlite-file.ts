import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { CheckpointThread } from "../checkpoints/checkpoint-thread.ts";
import { type DatabaseOptions, openDatabase, toOpenError } from "./sqlite-database.ts";

/** The two ways to sync a file: on a thread of libuv's pool, and on this one. */
export interface Disk {
  fdatasync(descriptor: number, done: (error: Error | null) => void): void;
  fdatasyncSync(descriptor: number): void;
}

export interface SqliteFileOptions extends DatabaseOptions {
  readonly disk?: Disk;
}

const DISK: Disk = { fdatasync, fdatasyncSync };

/**
 * SQLite itself checkpoints a log of this many pages, in the commit. The log has them only after single writes of many
 * megabytes, or if the process cannot start a thread.
 */
const MAX_LOG_PAGES = 8000;

/**
 * A database file whose commits become durable without blocking the event loop. SQLite's `synchronous = FULL` is
 * `NORMAL` with a sync of the write-ahead log in each commit, on the thread of the commit. Here the database commits with
 * `NORMAL`, and the caller acknowledges its commits after `sync` or `syncNow`. SQLite still syncs the header of a log that
 * begins again, its entry in the folder, and log and database in checkpoints.
 */
export class SqliteFile implements AsyncDisposable {
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #disk: Disk;
  readonly #checkpoints: CheckpointThread;
  /** Undefined without a log: in memory, and on file systems that cannot map files into memory. */
  readonly #log: number | undefined;
  #closed: Promise<void> | undefined;

  /** Throws as `openDatabase`. */
  constructor({ disk = DISK, ...options }: SqliteFileOptions) {
    this.database = openDatabase(options);
    this.#path = options.file;
    this.#disk = disk;
    this.#checkpoints = new CheckpointThread(options.file);
    this.#log = openLog(this.database, options.file);
    if (this.#log === undefined) return;
    this.database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`);
  }

  /** Resolves when all commits so far survive a power loss. */
  sync(): Promise<void> {
    const log = this.#log;
    // Without a log, each commit was synced by SQLite.
    if (log === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#disk.fdatasync(log, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  /** As `sync`, on this thread: 40 CPU-µs cheaper, but the whole process waits for the disk. */
  syncNow(): void {
    if (this.#log !== undefined) this.#disk.fdatasyncSync(this.#log);
  }

  /**
   * Copies the log into the database, so that the next commit begins at the start of the log's file. The caller commits
   * nothing meanwhile, because a log that grows does not begin again. Never rejects.
   */
  async checkpoint(): Promise<void> {
    if (this.#log !== undefined && this.database.isOpen) await this.#checkpoints.run();
  }

  /**
   * Closes the file after a failed sync, without a checkpoint. The system may have dropped pages of the log that it could
   * not write, and a checkpoint would copy what is in their place. The next opening reads the log by its checksums, up to
   * the first damaged page; all commits that were synced are before it.
   */
  async abandon(): Promise<void> {
    // Only the last connection makes a checkpoint when it closes, and one that cannot write makes none.
    const last = new DatabaseSync(this.#path, { readOnly: true });
    last.prepare("SELECT count(*) FROM sqlite_schema").get();
    await this[Symbol.asyncDispose]();
    last.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#checkpoints.end();
    if (this.#log !== undefined) closeSync(this.#log);
    this.database.close();
  }
}

/**
 * A descriptor of the log, which is one file until the last connection closes. SQLite's locks are on the two other files
 * of the database, so that closing this descriptor releases none. (Closing one of those files would release all locks of
 * the process.)
 */
function openLog(database: DatabaseSync, file: string): number | undefined {
  try {
    if (database.prepare("PRAGMA journal_mode").get()?.["journal_mode"] !== "wal") return undefined;
    // Windows flushes only files that are open for writing.
    return openSync(`${file}-wal`, "r+");
  } catch (error) {
    database.close();
    throw toOpenError(error);
  }
}
