import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionAnswers, SessionAttempt } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { SessionRead } from "#ports/sessions/session-reads.ts";
import { Parameters } from "../database/parameters.ts";
import type { StatementReader } from "../database/postgres-database.ts";
import { type Change, type ChangeRows, outsideId, toChangeRows } from "./change-rows.ts";
import { findOutlines, walkRuns } from "./old-run-rows.ts";
import { type DeletionRow, toDeletion } from "./owned-sessions.ts";
import { listAbandonedRuns, listRuns } from "./run-lists.ts";
import { listHeads, listIdleSessions } from "./session-lists.ts";
import {
  type EventRow,
  type HeadVersion,
  type PostgresVersion,
  type RunRow,
  type SessionRow,
  type StateRow,
  sidOf,
  toHead,
  toRun,
  toState,
  toStoredEvent,
} from "./session-rows.ts";
import { COUNTED_KIND } from "./write-statement.ts";

type Answers = SessionAnswers<PostgresVersion>;
type Tell = (answer: unknown) => void;
type ReadOf<Kind extends SessionRead["kind"]> = Extract<SessionRead, { kind: Kind }>;

/** Where sessions are read and written, and how their content is encrypted. */
export interface SessionSource {
  readonly database: StatementReader;
  readonly content: SessionContent;
  /** Stores a change, with the rows of a deleted session; undefined if a precondition is lost. */
  commit(rows: ChangeRows): Promise<HeadVersion | undefined>;
}

const EVENT_COLUMNS = "sequence, header, timestamp, has_delta, outside_id IS NOT NULL AS is_outside, json";
const DELETIONS = "SELECT json_agg(own) FROM fairlead.data_deletions AS own";

/**
 * One attempt: heads, states, counts and runs are columns of one statement, which has one state of the data. Events and
 * lists are statements of their own, and the change is a part of a batch of the commit queue.
 */
export class PostgresSessionAttempt implements SessionAttempt<PostgresVersion> {
  readonly #source: SessionSource;

  constructor(source: SessionSource) {
    this.#source = source;
  }

  async read(reads: readonly SessionRead[], answers: Answers): Promise<void> {
    const columns = new Columns(this.#source.content);
    const others = reads.filter((read) => !columns.add(read, answers));
    const outside = Map.groupBy(
      others.filter((read) => read.kind === "outside-event"),
      ({ head }) => sidOf(head),
    );
    await Promise.all([
      columns.read(this.#source.database),
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
        throw new Error(`A read of kind ${read.kind} is a column of the statement of all.`);
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

/** The columns of one statement, each a JSON value, and who gets them. */
class Columns {
  readonly #content: SessionContent;
  readonly #parameters = new Parameters();
  readonly #columns: { readonly sql: string; readonly tell: Tell }[] = [];

  constructor(content: SessionContent) {
    this.#content = content;
  }

  async read(database: StatementReader): Promise<void> {
    if (this.#columns.length === 0) return;
    const columns = this.#columns.map(({ sql }, index) => `(${sql}) AS column${index}`);
    const [row] = await database.read<Record<string, unknown>>(
      `SELECT ${columns.join(",\n")}`,
      this.#parameters.values,
    );
    for (const [index, { tell }] of this.#columns.entries()) tell(row?.[`column${index}`]);
  }

  /** False if the read is not a column. */
  add(read: SessionRead, answers: Answers): boolean {
    switch (read.kind) {
      case "head":
        this.#head(read, answers);
        return true;
      case "shared-state":
        this.#sharedState(read, answers);
        return true;
      case "stored":
        this.#stored(read, answers);
        return true;
      case "deletions":
        // Rows of the table.
        this.#add(DELETIONS, (rows) => answers.set(read, ((rows ?? []) as readonly DeletionRow[]).map(toDeletion)));
        return true;
      case "run":
        this.#run(`tenant_id = ${this.#text(tenantOf(read.tenant))} AND run_id = ${this.#text(read.runId)}`, (run) =>
          answers.set(read, run),
        );
        return true;
      case "keyed-run": {
        const own = `sid = (SELECT sid FROM fairlead.sessions WHERE ${this.#isSession(read.session)})`;
        this.#run(`${own} AND idempotency_key = ${this.#text(read.idempotencyKey)}`, (run) => answers.set(read, run));
        return true;
      }
      default:
        return false;
    }
  }

  /** Of the open runs, one request is read: a queue can have many long messages. */
  #head(read: ReadOf<"head">, answers: Answers): void {
    const runId = this.#text(read.runId ?? "");
    const sql = `SELECT json_build_object(
        'head', to_json(s),
        'state', (SELECT json_agg(json_build_array(coalesce(long_key, key), value)) FROM fairlead.session_state AS own
          WHERE own.sid = s.sid),
        'runs', (SELECT json_agg(json_build_object(
            'number', number, 'tenant_id', tenant_id, 'app_name', app_name, 'user_id', user_id,
            'session_id', session_id, 'run_id', run_id, 'answered_by', answered_by, 'record', record, 'error', error,
            'request', CASE WHEN run_id = ${runId} THEN request END) ORDER BY number)
          FROM fairlead.runs AS own WHERE own.sid = s.sid AND is_open))
      FROM fairlead.sessions AS s WHERE ${this.#isSession(read.session)}`;
    this.#add(sql, (found) => {
      // As the statement builds it.
      const row = found as { head: SessionRow; state: StateRow[] | null; runs: RunRow[] | null } | null;
      answers.set(read, row === null ? undefined : toHead(row.head, row.runs ?? [], row.state, this.#content));
    });
  }

  #sharedState(read: ReadOf<"shared-state">, answers: Answers): void {
    const { owner } = read;
    const [tenant, app, user] = [tenantOf(owner), owner.appName, owner.userId].map((name) => this.#text(name));
    const sql = `SELECT json_agg(json_build_array(user_id, coalesce(long_key, key), value)) FROM fairlead.shared_state
      WHERE tenant_id = ${tenant} AND app_name = ${app} AND user_id IN ('', ${user})`;
    this.#add(sql, (found) => {
      // As the statement builds it.
      const rows = (found ?? []) as readonly (readonly [user: string, key: string, value: string])[];
      const scopeOf = (scope: "app" | "user") => {
        const own = rows.filter(([name]) => (name === "") === (scope === "app"));
        const members = own.map(([, key, value]): StateRow => [key, value]);
        return toState(members, (key, text) => this.#content.openShared(scope, owner, key, text));
      };
      answers.set(read, { app: scopeOf("app"), user: scopeOf("user") });
    });
  }

  #stored(read: ReadOf<"stored">, answers: Answers): void {
    const { count } = read;
    const [tenant, scope, name] = [tenantOf(count), count.scope, count.name].map((value) => this.#text(value));
    const sql = `SELECT json_build_array(items, bytes, version) FROM fairlead.stored_counts
      WHERE kind = '${COUNTED_KIND}' AND tenant_id = ${tenant} AND scope = ${scope} AND name = ${name}`;
    this.#add(sql, (found) => {
      // As the statement builds it.
      const row = found as readonly [items: number, bytes: number, version: number] | null;
      const [sessions, storedBytes, version] = row ?? [0, 0, 0];
      answers.set(read, row === null ? undefined : { amounts: { sessions, storedBytes }, version });
    });
  }

  #run(where: string, tell: (run: ReturnType<typeof toRun> | undefined) => void): void {
    this.#add(`SELECT to_json(own) FROM fairlead.runs AS own WHERE ${where}`, (found) => {
      // A row of the table.
      const row = found as RunRow | null;
      tell(row === null ? undefined : toRun(row, this.#content));
    });
  }

  #add(sql: string, tell: Tell): void {
    this.#columns.push({ sql, tell });
  }

  #isSession(key: SessionKey): string {
    const names = { tenant_id: tenantOf(key), user_id: key.userId, app_name: key.appName, id: key.id };
    return Object.entries(names)
      .map(([column, name]) => `${column} = ${this.#text(name)}`)
      .join(" AND ");
  }

  #text(value: string): string {
    return `${this.#parameters.add(value)}::text`;
  }
}
