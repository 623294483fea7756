import { Parameters } from "../database/parameters.ts";
import type { PostgresDatabase, RunStatement } from "../database/postgres-database.ts";
import { isRefused, isTaken } from "../database/postgres-errors.ts";
import type { ChangeRows } from "./change-rows.ts";
import type { HeadVersion } from "./session-rows.ts";
import { COUNTED_KIND, type StoredChange, writeStatement } from "./write-statement.ts";

interface Waiting {
  readonly rows: ChangeRows;
  readonly resolve: (version: HeadVersion | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitQueueOptions {
  readonly database: PostgresDatabase;
  /** How many statements are sent at the same time. */
  readonly maxStatements?: number | undefined;
}

const DEFAULT_MAX_STATEMENTS = 4;
const MAX_CHANGES_OF_STATEMENT = 256;
/** Characters of content. A single change may be longer. */
const MAX_CHARACTERS_OF_STATEMENT = 4 * 1024 * 1024;

/**
 * The commits of all sessions of this process: those that arrive in one turn of the event loop, and those that arrive
 * while others are being stored, are one statement. Each is stored completely or not at all, whatever becomes of the
 * others.
 */
export class CommitQueue {
  readonly #database: PostgresDatabase;
  readonly #maxStatements: number;
  #waiting: Waiting[] = [];
  #statements = 0;
  #isScheduled = false;

  constructor({ database, maxStatements }: CommitQueueOptions) {
    this.#database = database;
    this.#maxStatements = maxStatements ?? DEFAULT_MAX_STATEMENTS;
  }

  /** The head's new version; undefined if a precondition of the change is lost. */
  commit(rows: ChangeRows): Promise<HeadVersion | undefined> {
    if (rows.counts.some(({ expect }) => expect !== undefined)) return this.#commitExpected(rows);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ rows, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#statements >= this.#maxStatements) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#take();
    if (batch.length === 0) return;
    this.#statements += 1;
    this.#schedule();
    try {
      await this.#store(batch);
    } finally {
      this.#statements -= 1;
      this.#schedule();
    }
  }

  /** The first changes that fit into one statement, of each session one. */
  #take(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const later: Waiting[] = [];
    const sessions = new Set<string>();
    let characters = 0;
    for (const waiting of this.#waiting) {
      const name = sessionName(waiting.rows);
      const isFull = batch.length >= MAX_CHANGES_OF_STATEMENT || characters >= MAX_CHARACTERS_OF_STATEMENT;
      if (isFull || sessions.has(name)) {
        later.push(waiting);
      } else {
        batch.push(waiting);
        characters += charactersOf(waiting.rows);
      }
      sessions.add(name);
    }
    this.#waiting = later;
    return batch;
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    try {
      const { text, values } = writeStatement(batch.map(({ rows }) => rows));
      const stored = await this.#database.write<StoredChange>(text, values);
      const versions = new Map(stored.map(({ ord, sid, version }) => [ord, { sid, number: version }]));
      for (const [ord, { resolve }] of batch.entries()) resolve(versions.get(ord));
    } catch (error) {
      // One of the changes was refused, and with it the others: each is tried alone.
      if (batch.length > 1 && isRefused(error)) {
        for (const waiting of batch) await this.#store([waiting]);
        return;
      }
      for (const { resolve, reject } of batch) {
        if (isTaken(error)) resolve(undefined);
        else reject(error);
      }
    }
  }

  /** A change that is stored only if counts have not changed either: a transaction of its own. */
  async #commitExpected(rows: ChangeRows): Promise<HeadVersion | undefined> {
    try {
      return await this.#database.transaction((run) => commitInTransaction(run, rows));
    } catch (error) {
      if (isTaken(error)) return undefined;
      throw error;
    }
  }
}

/** Undefined if a precondition is lost: the transaction must then be rolled back. */
export async function commitInTransaction(run: RunStatement, rows: ChangeRows): Promise<HeadVersion | undefined> {
  const hasExpectation = rows.counts.some(({ expect }) => expect !== undefined);
  if (hasExpectation && !(await writeExpectedCounts(run, rows))) return undefined;
  const { text, values } = writeStatement([rows]);
  const [stored] = await run<StoredChange>(text, values);
  return stored && { sid: stored.sid, number: stored.version };
}

const COUNT = {
  tenant_id: "text",
  scope: "text",
  name: "text",
  items: "bigint",
  bytes: "bigint",
  expect: "bigint",
} as const;

/** False if one of the counts is not as the change expects it. */
async function writeExpectedCounts(run: RunStatement, { counts }: ChangeRows): Promise<boolean> {
  const place = "tenant_id, scope, name";
  const ofKind = (isMissing: boolean) =>
    counts.flatMap(({ expect, ...count }) => {
      if (expect === undefined || (expect === "missing") !== isMissing) return [];
      return [{ ...count, expect: typeof expect === "number" ? expect : null }];
    });
  const parameters = new Parameters();
  const [added, changed] = [ofKind(true), ofKind(false)];
  const rows = await run(
    `WITH added AS (
       INSERT INTO fairlead.stored_counts (kind, ${place}, items, bytes, version)
       SELECT '${COUNTED_KIND}', ${place}, items, bytes, nextval('fairlead.versions')
       FROM ${parameters.table("given", COUNT, added)} ORDER BY ${place} ON CONFLICT DO NOTHING RETURNING 1
     ), changed AS (
       UPDATE fairlead.stored_counts AS old SET items = old.items + given.items, bytes = old.bytes + given.bytes,
         version = nextval('fairlead.versions')
       FROM ${parameters.table("given", COUNT, changed)}
       WHERE old.kind = '${COUNTED_KIND}' AND old.tenant_id = given.tenant_id AND old.scope = given.scope
         AND old.name = given.name AND old.version = given.expect RETURNING 1
     ) SELECT 1 FROM added UNION ALL SELECT 1 FROM changed`,
    parameters.values,
  );
  return rows.length === added.length + changed.length;
}

function sessionName({ head }: ChangeRows): string {
  return `${head.tenant_id}\n${head.app_name}\n${head.user_id}\n${head.id}`;
}

function charactersOf({ events, addedRuns, state, shared }: ChangeRows): number {
  let characters = 0;
  for (const { json } of events) characters += json.length;
  for (const { request } of addedRuns) characters += request.length;
  for (const { value } of [...state, ...shared]) characters += value?.length ?? 0;
  return characters;
}
