import type { SessionAnswers, SessionAttempt } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { SessionRead } from "#ports/sessions/session-reads.ts";
import type { StatementReader } from "../database/postgres-database.ts";
import { type Change, type ChangeRows, outsideId, toChangeRows } from "./change-rows.ts";
import { findOutlines, walkRuns } from "./old-run-rows.ts";
import { listAbandonedRuns, listRuns } from "./run-lists.ts";
import { listHeads, listIdleSessions } from "./session-lists.ts";
import { type EventRow, type HeadVersion, type PostgresVersion, sidOf, toStoredEvent } from "./session-rows.ts";
import type { SharedReads } from "./shared-reads.ts";

type Answers = SessionAnswers<PostgresVersion>;
type ReadOf<Kind extends SessionRead["kind"]> = Extract<SessionRead, { kind: Kind }>;

/** Where sessions are read and written, and how their content is encrypted. */
export interface SessionSource {
  readonly database: StatementReader;
  readonly content: SessionContent;
  readonly reads: SharedReads;
  /** Stores a change, with the rows of a deleted session; undefined if a precondition is lost. */
  commit(rows: ChangeRows): Promise<HeadVersion | undefined>;
}

const EVENT_COLUMNS = "sequence, header, timestamp, has_delta, outside_id IS NOT NULL AS is_outside, json";

/**
 * One attempt: heads, states, counts and runs are read together with other attempts'. Events and lists are statements of
 * their own, and the change is a part of a batch of the commit queue.
 */
export class PostgresSessionAttempt implements SessionAttempt<PostgresVersion> {
  readonly #source: SessionSource;

  constructor(source: SessionSource) {
    this.#source = source;
  }

  async read(reads: readonly SessionRead[], answers: Answers): Promise<void> {
    const { others, done } = this.#source.reads.add(reads, answers);
    const outside = Map.groupBy(
      others.filter((read) => read.kind === "outside-event"),
      ({ head }) => sidOf(head),
    );
    await Promise.all([
      done,
      ...[...outside].map(([sid, ofSession]) => this.#outsideEvents(sid, ofSession, answers)),
      ...others.map((read) => this.#answer(read, answers)),
    ]);
  }

  async commit(change: Change | undefined): Promise<PostgresVersion | undefined> {
    if (change === undefined) return undefined;
    return this.#source.commit(toChangeRows(change, this.#source.content));
  }

  async #answer(read: SessionRead, answers: Answers): Promise<void> {
    const { database, content } = this.#source;
    switch (read.kind) {
      case "events": {
        const { head, afterRevision, limit = null } = read;
        return answers.set(
          read,
          await this.#events(head, "sequence > $3 ORDER BY sequence LIMIT $4", afterRevision, limit),
        );
      }
      case "bounded-events": {
        const { from, earlier } = read.bound;
        const isNeeded = "(sequence >= $3 OR sequence = ANY($4::bigint[])) ORDER BY sequence";
        return answers.set(read, await this.#events(read.head, isNeeded, from, earlier));
      }
      case "outside-event":
        // One statement answers all of them.
        return;
      case "sessions":
        return answers.set(read, await listHeads(this.#source, read.owner, read.options));
      case "runs":
        return answers.set(read, await listRuns(database, content, read.filter, read.place));
      case "idle-sessions":
        return answers.set(read, await listIdleSessions(database, read.options));
      case "walked-runs":
        return answers.set(read, await walkRuns(database, read.options));
      case "run-outlines":
        return answers.set(read, await findOutlines(database, read.names));
      case "abandoned-runs":
        return answers.set(read, await listAbandonedRuns(database, content, read.options));
      default:
        throw new Error(`A read of kind ${read.kind} is a part of the shared statement.`);
    }
  }

  async #outsideEvents(sid: number, reads: readonly ReadOf<"outside-event">[], answers: Answers): Promise<void> {
    const ids = reads.map(({ eventId }) => outsideId(eventId));
    const found = await this.#source.database.read<{ readonly outside_id: string }>(
      "SELECT outside_id FROM fairlead.events WHERE sid = $1 AND outside_id = ANY($2::text[])",
      [sid, ids],
    );
    const stored = new Set(found.map((row) => row.outside_id));
    for (const [index, read] of reads.entries()) answers.set(read, stored.has(ids[index] ?? ""));
  }

  async #events(head: SessionHead, where: string, ...values: readonly unknown[]) {
    const rows = await this.#source.database.read<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM fairlead.events WHERE sid = $1 AND sequence <= $2 AND ${where}`,
      [sidOf(head), head.revision, ...values],
    );
    return rows.map((row) => toStoredEvent(row, head.key, this.#source.content));
  }
}
