import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertUsableSchema, type Migration, pendingMigrations } from "#ports/rows/migrations.ts";

export interface DatabaseOptions {
  readonly file: string;
  readonly schema: readonly Migration[];
}

const BUSY_TIMEOUT_MS = 5000;
/** Holds the newest pages of a few thousand sessions; with SQLite's own 2 MiB every turn had to read pages again. */
const CACHE_KIBIBYTES = 8 * 1024;

export const MIGRATIONS_TABLE = `
  CREATE TABLE migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, oldest INTEGER NOT NULL,
    applied TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
  )`;

/** SQLite's name of a database without a file. */
const IN_MEMORY = ":memory:";

/**
 * Opens or creates a database with a write-ahead log, synced at each commit; everything in it is on the disk. Throws
 * `DATA_DIR_UNWRITABLE`, `CONFIGURATION` for a file that this release cannot use, and `STORE_UNAVAILABLE` for a file that is no
 * database.
 */
export function openDatabase({ file, schema }: DatabaseOptions): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (file !== IN_MEMORY) createFile(file);
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
    database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
    migrate(database, file, schema);
    // Commits of an earlier process may be in the log and not on the disk, if the process was killed before its sync.
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    return database;
  } catch (error) {
    database?.close();
    throw toOpenError(error, file);
  }
}

/** Only this user reads it. SQLite gives its log the mode of the database. */
function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
}

/**
 * As `allRows`, for a statement with the parameters ?1, ?2 and so on. They are bound by these names, because Node before
 * 22.20 and 24.8 does not bind them by their places.
 */
export function allRowsOf<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  // As in allRows.
  return statement.all(byNumber(values)) as Row[];
}

/** As `eachRow`, with parameters as in `allRowsOf`. A step costs twice as much as a row of `allRowsOf`. */
export function eachRowOf<Row>(statement: StatementSync, ...values: SQLInputValue[]): Iterable<Row> {
  // As in allRows.
  return statement.iterate(byNumber(values)) as unknown as Iterable<Row>;
}

function byNumber(values: readonly SQLInputValue[]): Record<string, SQLInputValue> {
  return Object.fromEntries(values.map((value, index) => [`?${index + 1}`, value]));
}

/** The rows of a statement, whose columns have the types of `Row` by the schema. */
export function allRows<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  // node:sqlite types rows as maps of any column value; the schema and the statement's text are more specific.
  return statement.all(...values) as Row[];
}

/** The rows one by one, each read on demand. */
export function eachRow<Row>(statement: StatementSync, ...values: SQLInputValue[]): IteratorObject<Row> {
  // As in allRows.
  return Iterator.from(statement.iterate(...values) as Iterator<Row>);
}

export function firstRow<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  // As in allRows.
  return statement.get(...values) as Row | undefined;
}

/** Failures of the database as `STORE_UNAVAILABLE`; any other error unchanged. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof PlatformError || !isDatabaseError(error)) return error;
  if (isFull(error)) {
    const message = "The disk of the store is full; nothing was changed. Try again later.";
    return new PlatformError("STORAGE_FULL", message, { cause: error });
  }
  return new PlatformError("STORE_UNAVAILABLE", "The store failed; nothing was changed. Try again.", {
    cause: error,
  });
}

/**
 * Applies the migrations that the file lacks, all or none: they are read and made in one transaction, and other
 * processes wait for it. Throws `CONFIGURATION` for a file that another program or a newer release has made.
 */
function migrate(database: DatabaseSync, file: string, known: readonly Migration[]): void {
  database.exec("BEGIN IMMEDIATE");
  const tables = allRows<{ readonly name: string }>(database.prepare("SELECT name FROM sqlite_schema"));
  const isOurs = tables.some(({ name }) => name === "migrations");
  if (!isOurs && (tables.length > 0 || versionOf(database) !== 0)) {
    throw new PlatformError(
      "CONFIGURATION",
      `The data file ${file} was not made by this server. Use another data folder, or the server that wrote it.`,
    );
  }
  const read = "SELECT number, oldest FROM migrations";
  const applied = isOurs ? allRows<Pick<Migration, "number" | "oldest">>(database.prepare(read)) : [];
  assertUsableSchema(`The data file ${file}`, applied, known);
  // A file that is up to date is only read: a write would cost a sync.
  if (!isOurs) database.exec(MIGRATIONS_TABLE);
  for (const { number, name, oldest, sql } of pendingMigrations(applied, known)) {
    database.exec(sql);
    database.prepare("INSERT INTO migrations (number, name, oldest) VALUES (?, ?, ?)").run(number, name, oldest);
  }
  database.exec("COMMIT");
}

/** Other programs set it; this server does not. */
function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

function isDatabaseError(error: unknown): error is Error & { readonly errcode?: number } {
  if (!(error instanceof Error) || !("code" in error)) return false;
  // ERR_INVALID_STATE: the database was closed.
  return error.code === "ERR_SQLITE_ERROR" || error.code === "ERR_INVALID_STATE";
}

const SQLITE_FULL = 13;

/** SQLite reports its own code if a write finds a full disk, and an input/output error if the log cannot grow. */
function isFull(error: Error & { readonly errcode?: number }): boolean {
  return ((error.errcode ?? 0) & 0xff) === SQLITE_FULL || /ENOSPC|No space left/i.test(error.message);
}

/**
 * Rolls back a transaction. SQLite rolls back by itself if it cannot continue; a rollback that fails then was already
 * done.
 */
export function rollBack(database: DatabaseSync): void {
  if (!database.isOpen || !database.isTransaction) return;
  try {
    database.exec("ROLLBACK");
  } catch (error) {
    if (database.isTransaction) throw error;
  }
}

/** SQLITE_PERM, READONLY, IOERR, FULL, CANTOPEN: the low byte of the extended code. */
const UNWRITABLE = new Set([3, 8, 10, 13, 14]);

/** The error of a file that cannot be opened. */
export function toOpenError(error: unknown, file?: string): unknown {
  if (error instanceof PlatformError) return error;
  const isFileError = error instanceof Error && "syscall" in error;
  if (isFileError || (isDatabaseError(error) && UNWRITABLE.has((error.errcode ?? 0) & 0xff))) {
    const message = "The data folder cannot be written. Check that it is a folder, its permissions and the free space.";
    return new PlatformError("DATA_DIR_UNWRITABLE", message, { cause: error });
  }
  if (!isDatabaseError(error)) return error;
  return new PlatformError(
    "STORE_UNAVAILABLE",
    `The data file${file === undefined ? "" : ` ${file}`} cannot be opened: it is damaged, or no database of this server. docs/operations.md#damaged-data-files says how to recover.`,
    { cause: error },
  );
}
