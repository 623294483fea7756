import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { PostgresDatabase, RunStatement, StatementReader } from "../database/postgres-database.ts";
import { isTaken } from "../database/postgres-errors.ts";
import type { ChangeRows } from "./change-rows.ts";
import { CommitQueue, commitInTransaction } from "./commit-queue.ts";
import { PostgresSessionAttempt } from "./postgres-session-attempt.ts";
import { removeEvents } from "./session-removal.ts";
import type { HeadVersion } from "./session-rows.ts";
import { SharedReads } from "./shared-reads.ts";
import { MAX_EVENTS_DELETED_WITH_SESSION } from "./write-statement.ts";

/** For longer, no process keeps a session's row from other writers. */
const TURN_MS = 2_000;

/**
 * Begins attempts: without any lock, in statements that other sessions share, and in turn for a session whose writers
 * are in several processes.
 */
export class SessionAttempts {
  readonly #database: PostgresDatabase;
  readonly #content: SessionContent;
  readonly #reads: SharedReads;
  readonly #commits: CommitQueue;

  constructor(database: PostgresDatabase, content: SessionContent) {
    this.#database = database;
    this.#content = content;
    this.#reads = new SharedReads(database, content);
    this.#commits = new CommitQueue({ database });
  }

  attempt(): PostgresSessionAttempt {
    return new PostgresSessionAttempt({
      database: this.#database,
      content: this.#content,
      reads: this.#reads,
      commit: async (rows) => {
        const version = await this.#commits.commit(rows);
        if (version !== undefined) await this.#removeRest(rows);
        return version;
      },
    });
  }

  /**
   * One transaction that writes the head first, without a change: the server lets processes that want the same row queue
   * for it. Otherwise the process that has just committed needs no read, is faster than the others each time, and they
   * wait until it has nothing left to write. Undefined if the attempt returns undefined.
   */
  async inTurn<T>(
    session: SessionKey,
    work: (attempt: PostgresSessionAttempt) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const stored: ChangeRows[] = [];
    try {
      const value = await this.#database.transaction(async (run) => {
        stored.length = 0;
        await run(
          `UPDATE fairlead.sessions SET version = version
           WHERE tenant_id = $1 AND user_id = $2 AND app_name = $3 AND id = $4`,
          [tenantOf(session), session.userId, session.appName, session.id],
        );
        const commit = async (rows: ChangeRows): Promise<HeadVersion | undefined> => {
          stored.push(rows);
          return commitInTransaction(run, rows);
        };
        const reader = oneByOne(run);
        const reads = new SharedReads(reader, this.#content);
        return work(new PostgresSessionAttempt({ database: reader, content: this.#content, reads, commit }));
      }, TURN_MS);
      if (value !== undefined) for (const rows of stored) await this.#removeRest(rows);
      return value;
    } catch (error) {
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  /** A statement that deletes a session leaves its events if they are many. */
  async #removeRest({ kind, head }: ChangeRows): Promise<void> {
    if (kind === "delete" && head.revision > MAX_EVENTS_DELETED_WITH_SESSION) await removeEvents(this.#database);
  }
}

/** A connection takes one statement at a time. */
function oneByOne(run: RunStatement): StatementReader {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: <Row>(text: string, values?: readonly unknown[]) => {
      const next = last.then(() => run<Row>(text, values));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
