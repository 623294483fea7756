import pg from "pg";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import { connectionSettings, type PostgresConnection } from "./postgres-connection.ts";
import {
  hasNul,
  isRepeatable,
  keepsConnection,
  sqlState,
  storeUnavailable,
  translatePostgresError,
  withoutNul,
} from "./postgres-errors.ts";

export interface PostgresDatabaseOptions {
  /** Connections of the caller, who closes them; or how to make them. */
  readonly pool: pg.Pool | PostgresPoolOptions;
  /** The schema with the tables; `fairlead` when absent. */
  readonly schema?: string | undefined;
  /** The time limit of one statement. */
  readonly deadlineMs?: number | undefined;
  /** Called before each statement is sent. */
  readonly observeCall?: ((text: string) => void) | undefined;
  /** Called before the first statement, and before the next one if it fails: brings the schema up to date. */
  readonly prepare?: ((database: PostgresDatabase) => Promise<void>) | undefined;
  readonly sleep?: Sleep | undefined;
}

export interface PostgresPoolOptions extends PostgresConnection {
  /** Names the URL in errors. */
  readonly name?: string | undefined;
  readonly maxConnections?: number | undefined;
}

/** The state of a pool, for metrics. */
export interface PostgresLoad {
  /** Connections with a statement or a transaction. */
  readonly busy: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
  /** All statements, those that failed included. */
  readonly statements: number;
  /** Statements that the server has refused. */
  readonly refused: number;
  /** Statements without an answer, whose connections were closed. */
  readonly lost: number;
}

/** Reads rows: by any connection, or in a transaction. */
export interface StatementReader {
  read<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Sends a statement of a transaction. */
export type RunStatement = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export const DEFAULT_SCHEMA = "fairlead";
export const DEFAULT_MAX_CONNECTIONS = 10;
const DEFAULT_DEADLINE_MS = 10_000;
/** The limit of a new connection, and of the wait for a free one. */
const CONNECT_MS = 5_000;
/** The limit of each statement that changes the schema, with its wait for other processes that do the same. */
const PREPARE_MS = 600_000;
const IDLE_MS = 30_000;
const MAX_TRIES = 3;
const MAX_PAUSE_MS = 100;
const INT8 = 20;

/** Reads 64-bit integers as numbers: in the tables they are counted from 1 and stay exact. */
const TYPES = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return oid === INT8 ? Number : pg.types.getTypeParser(oid, format);
  },
};

/**
 * A pool of connections to Postgres, also through a pooler in transaction mode: no statement has a name, none changes the
 * session, and what belongs together is one statement or one transaction. Each statement has a deadline, by this
 * process's clock; its connection is closed after it.
 */
export class PostgresDatabase implements StatementReader, AsyncDisposable {
  readonly schema: string;
  readonly #pool: pg.Pool;
  readonly #isOwner: boolean;
  readonly #deadlineMs: number;
  readonly #observeCall: (text: string) => void;
  readonly #prepare: (() => Promise<void>) | undefined;
  readonly #sleep: Sleep;
  readonly #texts = new Map<string, string>();
  readonly #counts = { statements: 0, refused: 0, lost: 0 };
  #prepared: Promise<void> | undefined;

  private constructor(pool: pg.Pool, isOwner: boolean, options: Omit<PostgresDatabaseOptions, "pool">) {
    this.#pool = pool;
    this.#isOwner = isOwner;
    this.schema = options.schema ?? DEFAULT_SCHEMA;
    this.#deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
    this.#observeCall = options.observeCall ?? (() => undefined);
    this.#sleep = options.sleep ?? sleep;
    const { prepare } = options;
    const unprepared = { ...options, prepare: undefined, deadlineMs: PREPARE_MS };
    this.#prepare = prepare && (() => prepare(new PostgresDatabase(pool, false, unprepared)));
    // An idle connection that breaks is replaced by the next call.
    if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
    // A connection can break as soon as the pool gives it away; the next statement fails then.
    if (!pool.listeners("acquire").includes(ignoreErrors)) pool.on("acquire", ignoreErrors);
  }

  /** Connects with the first call. Throws `CONFIGURATION` for a URL or a file that cannot be used. */
  static async open({ pool, ...options }: PostgresDatabaseOptions): Promise<PostgresDatabase> {
    if ("connect" in pool) return new PostgresDatabase(pool, false, options);
    const settings = await connectionSettings(pool, pool.name ?? "The URL of the database");
    const own = new pg.Pool({
      ...settings,
      // The package has types for files in memory too.
      ssl: settings.ssl === false ? false : { ...settings.ssl },
      max: pool.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      application_name: "fairlead",
      allowExitOnIdle: true,
    });
    return new PostgresDatabase(own, true, options);
  }

  /** Waits until the schema can be used. Throws `CONFIGURATION` if this release cannot use it. */
  async ready(): Promise<void> {
    if (this.#prepare === undefined) return;
    this.#prepared ??= this.#prepare();
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw translatePostgresError(error);
    }
  }

  /**
   * Rows of a statement that only reads, or writes the same if it is repeated: that is done on another connection if the
   * first one is lost.
   */
  async read<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      return await this.#read<Row>(text, values);
    } catch (error) {
      if (!hasNul(error)) throw error;
      return this.#read<Row>(text, values.map(withoutNul));
    }
  }

  #read<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#repeat(
      (error) => !keepsConnection(error) || isRepeatable(error),
      (attempt) => this.#onConnection((client) => this.#send<Row>(client, text, values, attempt), attempt),
    );
  }

  /**
   * Rows of a statement that is a transaction of its own. If its connection is lost, `STORE_UNAVAILABLE` is thrown and
   * nobody knows whether it was stored. `isRefused` tells other errors apart, which are thrown as they are.
   */
  write<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#repeat(isRepeatable, (attempt) =>
      this.#onConnection((client) => this.#send<Row>(client, text, values, attempt), attempt),
    );
  }

  /**
   * Commits what `work` does if it returns a value; undefined rolls it back. May call `work` several times. With
   * `holdMs`, the server ends a transaction that waits that long for the rows of another one (it may be repeated), or
   * for its own next statement, so that a process that stands still does not keep others from its rows.
   */
  transaction<T>(work: (run: RunStatement) => Promise<T | undefined>, holdMs?: number): Promise<T | undefined> {
    const limits = `SET LOCAL lock_timeout = ${holdMs}; SET LOCAL idle_in_transaction_session_timeout = ${holdMs}`;
    return this.#repeat(isRepeatable, (attempt) =>
      this.#onConnection(async (client) => {
        const run: RunStatement = (text, values = []) => this.#send(client, text, values, attempt);
        await run(holdMs === undefined ? "BEGIN" : `BEGIN; ${limits}`);
        try {
          const value = await work(run);
          await run(value === undefined ? "ROLLBACK" : "COMMIT");
          return value;
        } catch (error) {
          if (!attempt.isBroken) await run("ROLLBACK");
          throw error;
        }
      }, attempt),
    );
  }

  /** The pool's connections now, and its statements so far. */
  get load(): PostgresLoad {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, ...this.#counts };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwner) await this.#pool.end();
  }

  async #repeat<T>(isSafe: (error: unknown) => boolean, call: (attempt: Attempt) => Promise<T>): Promise<T> {
    if (this.#prepare !== undefined) await this.ready();
    for (let tries = 1; ; tries += 1) {
      const attempt: Attempt = { isSent: false, isBroken: false, hasFailed: false };
      try {
        return await call(attempt);
      } catch (error) {
        if (tries >= MAX_TRIES || isLate(error) || (attempt.isSent && !isSafe(error)))
          throw translatePostgresError(error);
        await this.#sleep(Math.random() * Math.min(MAX_PAUSE_MS, 10 ** tries));
      }
    }
  }

  async #onConnection<T>(work: (client: pg.PoolClient) => Promise<T>, attempt: Attempt): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      // A server that refuses the connection would refuse the next one too.
      throw sqlState(error) === undefined ? error : storeUnavailable(error);
    }
    attempt.isSent = true;
    try {
      return await work(client);
    } finally {
      client.release(attempt.isBroken);
    }
  }

  async #send<Row>(
    client: pg.PoolClient,
    text: string,
    values: readonly unknown[],
    attempt: Attempt,
  ): Promise<readonly Row[]> {
    this.#observeCall(text);
    this.#counts.statements += 1;
    const query = { text: this.#inSchema(text), values: [...values], types: TYPES, query_timeout: this.#deadlineMs };
    // The caller names the columns of its statement.
    try {
      const { rows } = await client.query(query);
      return rows as Row[];
    } catch (error) {
      attempt.hasFailed = true;
      const isRefusal = keepsConnection(error);
      this.#counts[isRefusal ? "refused" : "lost"] += 1;
      attempt.isBroken ||= !isRefusal;
      throw error;
    }
  }

  /** Statements name the tables of the default schema. */
  #inSchema(text: string): string {
    if (this.schema === DEFAULT_SCHEMA) return text;
    let own = this.#texts.get(text);
    if (own === undefined) {
      own = text.replaceAll(`${DEFAULT_SCHEMA}.`, `${quoted(this.schema)}.`);
      this.#texts.set(text, own);
    }
    return own;
  }
}

/** The name of a schema as a part of a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

interface Attempt {
  /** Whether a statement can have reached the server. */
  isSent: boolean;
  /** Whether a statement has failed. */
  hasFailed: boolean;
  /** Whether the connection cannot be used again. */
  isBroken: boolean;
}

/** Whether the time for the call is used up. The package has no code for that. */
function isLate(error: unknown): boolean {
  return error instanceof Error && sqlState(error) === undefined && /timeout/i.test(error.message);
}

function ignoreErrors(client: pg.PoolClient): void {
  if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
}

function ignore(): void {}
