import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { isListed } from "#ports/sessions/awaiting-runs.ts";
import { pageBySize } from "#ports/sessions/event-pages.ts";
import type {
  AnswerOf,
  NetworkHead,
  SessionAnswers,
  SessionAttempt,
  SessionChange,
  SessionDatabase,
} from "#ports/sessions/network/session-database.ts";
import type { RunOutline, WalkedRuns, WalkRunsOptions } from "#ports/sessions/old-runs/old-run-tables.ts";
import { findAbandoned } from "#ports/sessions/run-rules.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { SessionRead } from "#ports/sessions/session-reads.ts";
import type {
  AbandonedOptions,
  IdleHeads,
  IdleOptions,
  ListOptions,
  NumberedRuns,
  RunFilter,
  RunsPlace,
} from "#ports/sessions/session-tables.ts";
import { skipUndecryptable } from "#ports/sessions/skip-undecryptable-runs.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import { jsonBytes } from "#ports/storage-limits/stored-counts.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { inOrderOfPlaces, type PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion } from "#ports/tenants/tenant-data.ts";
import {
  type EventRow,
  type HeadRow,
  names,
  type OwnerRow,
  type RunRow,
  SESSION_TABLES,
  type StateRow,
} from "./session-sql.ts";
import { SqlSessionWrites } from "./sql-session-writes.ts";

type Owner = Omit<SessionKey, "id">;

/**
 * What a SQL database on a network would be: its tables are in this process, but each call is answered in a later turn of
 * the event loop, and nothing is locked between calls. It proves what a further backend of sessions needs.
 */
export class DelayedSqliteSessions implements SessionDatabase<number>, SessionAttempt<number>, Disposable {
  readonly #database = new DatabaseSync(":memory:");
  readonly #content: SessionContent;
  readonly #writes: SqlSessionWrites;

  constructor(content = new SessionContent()) {
    this.#database.exec(SESSION_TABLES);
    this.#content = content;
    this.#writes = new SqlSessionWrites(this.#database, content);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  attempt(): SessionAttempt<number> {
    return this;
  }

  read(reads: readonly SessionRead[], answers: SessionAnswers<number>): Promise<void> {
    return this.#call(() => {
      for (const read of reads) this.#answer(read, answers);
    });
  }

  commit(change: SessionChange<number> | undefined): Promise<number | undefined> {
    if (change === undefined) return Promise.resolve(undefined);
    return this.#call(() => {
      this.#run("BEGIN");
      let version: number | undefined;
      try {
        version = this.#writes.write(change);
      } finally {
        this.#run(version === undefined ? "ROLLBACK" : "COMMIT");
      }
      return version;
    });
  }

  async *ownedSessions(owner: DataOwner): AsyncGenerator<SessionKey, void, undefined> {
    yield* await this.#call(() => this.#rowsOf("heads", owner).map(toKey));
  }

  async *ownedItems(
    owner: DataOwner,
    after: readonly string[] | undefined,
  ): AsyncGenerator<PlacedItem, void, undefined> {
    const items = await this.#call(() => {
      const sessions = this.#rowsOf("heads", owner).map(({ app, user, session }): PlacedItem => {
        return { item: { kind: "session", appName: app, userId: user, id: session }, place: ["1", app, user, session] };
      });
      const states = this.#rowsOf("states", owner).map(({ app, user }): PlacedItem => {
        const scope = { ...inTenant(owner.tenantId), appName: app, userId: user };
        const state = this.#sharedState(user === "" ? "app" : "user", scope).copy();
        if (user === "") return { item: { kind: "app-state", appName: app, state }, place: ["3", app] };
        return { item: { kind: "user-state", appName: app, userId: user, state }, place: ["2", app, user] };
      });
      return inOrderOfPlaces([...sessions, ...states], after);
    });
    yield* items;
  }

  async deleteStates(owner: DataOwner): Promise<void> {
    const { tenantId, userId } = owner;
    const own = "DELETE FROM states WHERE tenant = ? AND ifnull(? = user, 1)";
    await this.#call(() => this.#run(own, tenantId, userId ?? null));
  }

  async beginDeletion({ tenantId, userId }: DataOwner): Promise<DataDeletion> {
    const place = [tenantId, userId ?? ""];
    await this.#call(() => this.#run("INSERT OR IGNORE INTO deletions VALUES (?, ?, ?)", ...place, Date.now()));
    const isOwn = (known: DataDeletion) => known.tenantId === tenantId && known.userId === userId;
    return (await this.listDeletions()).find(isOwn) ?? { tenantId, userId, startedAtMs: 0 };
  }

  async endDeletion({ tenantId, userId = "" }: DataOwner): Promise<void> {
    await this.#call(() => this.#run("DELETE FROM deletions WHERE tenant = ? AND user = ?", tenantId, userId));
  }

  listDeletions(): Promise<readonly DataDeletion[]> {
    return this.#call(() => this.#deletions());
  }

  #answer(read: SessionRead, answers: SessionAnswers<number>): void {
    switch (read.kind) {
      case "head":
        return answers.set(read, this.#head(read.session));
      case "shared-state":
        return answers.set(read, {
          app: this.#sharedState("app", read.owner),
          user: this.#sharedState("user", read.owner),
        });
      case "stored":
        return answers.set(read, this.#stored(read));
      case "deletions":
        return answers.set(read, this.#deletions());
      case "run":
        return answers.set(read, this.#oneRun("tenant = ? AND run = ?", tenantOf(read.tenant), read.runId));
      case "keyed-run": {
        const own = "tenant = ? AND app = ? AND user = ? AND session = ? AND idempotency_key = ?";
        return answers.set(read, this.#oneRun(own, ...names(read.session), read.idempotencyKey));
      }
      case "events": {
        const { head, afterRevision, limit = -1 } = read;
        return answers.set(read, this.#events(head, "sequence > ? ORDER BY sequence LIMIT ?", afterRevision, limit));
      }
      case "bounded-events": {
        const { from, earlier } = read.bound;
        const needed = "(sequence >= ? OR sequence IN (SELECT value FROM json_each(?))) ORDER BY sequence";
        return answers.set(read, this.#events(read.head, needed, from, JSON.stringify(earlier)));
      }
      case "outside-event":
        return answers.set(read, this.#events(read.head, "id = ?", read.eventId).length > 0);
      case "sessions":
        return answers.set(read, this.#list(read.owner, read.options));
      case "runs":
        return answers.set(read, this.#runs(read.filter, read.place));
      case "idle-sessions":
        return answers.set(read, this.#idle(read.options));
      case "walked-runs":
        return answers.set(read, this.#walkedRuns(read.options));
      case "run-outlines":
        return answers.set(
          read,
          read.names.flatMap((name) => this.#outlines("tenant = ? AND run = ?", tenantOf(name), name.runId)),
        );
      case "abandoned-runs":
        return answers.set(read, this.#abandoned(read.options));
      default:
        return read satisfies never;
    }
  }

  #head(key: SessionKey): NetworkHead<number> | undefined {
    const own = "SELECT * FROM heads WHERE tenant = ? AND app = ? AND user = ? AND session = ?";
    const row = this.#all<HeadRow>(own, ...names(key))[0];
    return row && this.#toHead(row);
  }

  #toHead(row: HeadRow): NetworkHead<number> {
    const key = toKey(row);
    // Written by `headJson`, which leaves out the runs.
    const { activeRun, expiresAt, pendingRuns, ...fields } = JSON.parse(row.json);
    const runOf = (run: string) => this.#oneRun("tenant = ? AND run = ?", row.tenant, run);
    const run: RunRecord | undefined = activeRun && runOf(activeRun);
    const lease = run && { runId: run.runId, session: key, holder: run.holder ?? "", epoch: run.epoch, expiresAt };
    return {
      ...fields,
      key,
      incarnation: row.incarnation,
      version: row.version,
      active: run && { run, lease },
      pending: pendingRuns.map(runOf),
      openState: () =>
        this.#state([row.tenant, row.app, row.user, row.incarnation], (name, text) =>
          this.#content.openState(key, text, name),
        ),
    };
  }

  #list({ appName, userId, ...tenant }: Owner, { after, limit = -1, hiddenIdPrefix }: ListOptions) {
    const { lastUpdateTime, id } = after ?? { lastUpdateTime: Number.MAX_SAFE_INTEGER, id: "" };
    const rows = this.#all<HeadRow>(
      `SELECT * FROM heads WHERE tenant = ? AND app = ? AND user = ? AND substr(session, 1, ?) <> ?
         AND (update_time < ? OR update_time = ? AND session > ?) ORDER BY update_time DESC, session LIMIT ?`,
      ...[
        tenantOf(tenant),
        appName,
        userId,
        hiddenIdPrefix.length,
        hiddenIdPrefix,
        lastUpdateTime,
        lastUpdateTime,
        id,
        limit,
      ],
    );
    return rows.map((row) => this.#toHead(row));
  }

  #stored({ count }: Extract<SessionRead, { kind: "stored" }>): AnswerOf<number>["stored"] {
    const own = "SELECT * FROM counts WHERE tenant = ? AND scope = ? AND name = ?";
    const row = this.#all<Record<"version" | "sessions" | "bytes", number>>(
      own,
      ...[tenantOf(count), count.scope, count.name],
    )[0];
    return row && { amounts: { sessions: row.sessions, storedBytes: row.bytes }, version: row.version };
  }

  #deletions(): readonly DataDeletion[] {
    return this.#all<{ tenant: string; user: string; started: number }>("SELECT * FROM deletions").map((row) => {
      return { tenantId: row.tenant, userId: row.user === "" ? undefined : row.user, startedAtMs: row.started };
    });
  }

  #events({ key, incarnation, revision }: SessionHead, where: string, ...values: SQLInputValue[]): StoredEvent[] {
    const rows = this.#all<EventRow>(
      `SELECT * FROM events WHERE incarnation = ? AND sequence <= ? AND ${where}`,
      ...[incarnation, revision, ...values],
    );
    return rows.map(({ sequence, id, invocation, author, timestamp, outside, has_delta: hasDelta, json: sealed }) => {
      const json = this.#content.openEvent(key, sequence, sealed);
      const isOutside = outside === 1 ? true : undefined;
      const event: StoredEvent = {
        id,
        invocationId: invocation,
        author,
        timestamp,
        json,
        sequence,
        outside: isOutside,
      };
      return hasDelta === 1 ? { ...event, stateDelta: fromEventRecord(event).actions.stateDelta } : event;
    });
  }

  #oneRun(where: string, ...values: SQLInputValue[]): RunRecord | undefined {
    const row = this.#all<RunRow>(`SELECT * FROM runs WHERE ${where}`, ...values)[0];
    return row && this.#toRun(row);
  }

  #toRun({ json, request, error, ...row }: RunRow): RunRecord {
    const session = toKey(row);
    const open = (member: "request" | "error", text: string) =>
      JSON.parse(this.#content.openOfRun(session, row.run, member, text));
    return {
      ...JSON.parse(json),
      session,
      request: open("request", request),
      error: error === null ? undefined : open("error", error),
    };
  }

  #runs(
    { session, appName, userId, statuses, ...tenant }: RunFilter,
    { before, limit, maxCharacters }: RunsPlace,
  ): NumberedRuns {
    const [, app, user, id] = session === undefined ? ["", appName, userId] : names(session);
    const isForeign = session !== undefined && tenantOf(session) !== tenantOf(tenant);
    const rows = this.#all<RunRow>(
      `SELECT * FROM runs WHERE tenant = ?1 AND number < ?2 AND ifnull(?3 = app, 1) AND ifnull(?4 = user, 1)
         AND ifnull(?5 = session, 1) ORDER BY number DESC`,
      ...[tenantOf(tenant), before?.number ?? Number.MAX_SAFE_INTEGER, app ?? null, user ?? null, id ?? null],
    );
    const runs = rows
      .map((row) => ({ number: row.number, run: this.#toRun(row) }))
      .filter(({ run }) => !isForeign && isListed(run, statuses))
      .filter(({ run }) => appName === undefined || run.session.appName === appName)
      .filter(({ run }) => userId === undefined || run.session.userId === userId);
    return pageBySize(runs, ({ run }) => JSON.stringify(run.request).length, { limit, most: maxCharacters });
  }

  #idle({ updatedBefore, after, limit }: IdleOptions): IdleHeads {
    const rows = this.#all<OwnerRow & { readonly rowid: number; readonly update_time: number }>(
      "SELECT rowid, * FROM heads WHERE rowid > ? ORDER BY rowid LIMIT ?",
      ...[after?.number ?? 0, limit],
    );
    const idle = rows.filter((row) => row.update_time < updatedBefore);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      sessions: idle.map((row) => ({ key: toKey(row), lastUpdateTime: row.update_time })),
      last: last && { number: last.rowid, id: "" },
    };
  }

  #walkedRuns({ endedBefore, after, limit }: WalkRunsOptions): WalkedRuns {
    const rows = this.#outlines("number > ? ORDER BY number LIMIT ?", Number(after?.[0] ?? 0), limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    const runs = rows.filter(({ finishedTime = endedBefore }) => finishedTime < endedBefore);
    return { runs, last: last && [String(last.number)] };
  }

  #outlines(where: string, ...values: SQLInputValue[]): readonly (RunOutline & { readonly number: number })[] {
    return this.#all<RunRow>(`SELECT * FROM runs WHERE ${where}`, ...values).map((row) => {
      const { request, ...run } = this.#toRun(row);
      return { ...run, number: row.number, requestBytes: jsonBytes(request) };
    });
  }

  #abandoned({ now, recordedUntil, holder, limit }: AbandonedOptions): readonly RunRecord[] {
    const rows = this.#all<RunRow>("SELECT * FROM runs WHERE is_open = 1 ORDER BY number");
    const runs = skipUndecryptable(rows, (row) => this.#toRun(row)).filter((run) => {
      const head = this.#head(run.session);
      const abandoned = head && findAbandoned(head, now, holder);
      const isOwn = holder !== undefined && abandoned?.holder === holder;
      return abandoned?.runId === run.runId && (isOwn || run.createdTime <= recordedUntil);
    });
    return runs.slice(0, limit);
  }

  #sharedState(scope: "app" | "user", owner: Owner): StateScope {
    const place = [tenantOf(owner), owner.appName, scope === "app" ? "" : owner.userId, ""];
    return this.#state(place, (key, text) => this.#content.openShared(scope, owner, key, text));
  }

  #state(place: readonly string[], open: (key: string, text: string) => string): StateScope {
    const own = "SELECT * FROM states WHERE tenant = ? AND app = ? AND user = ? AND incarnation = ?";
    const members = this.#all<StateRow>(own, ...place).map(
      ({ key, value }) => `${JSON.stringify(key)}:${open(key, value)}`,
    );
    return new StateScope(`{${members.join(",")}}`);
  }

  #rowsOf(table: "heads" | "states", { tenantId, userId }: DataOwner): OwnerRow[] {
    const columns = table === "heads" ? "tenant, app, user, session" : "tenant, app, user";
    const own = table === "heads" ? "" : "AND incarnation = ''";
    const rows = `SELECT DISTINCT ${columns} FROM ${table} WHERE tenant = ? AND ifnull(? = user, 1) ${own}`;
    return this.#all<OwnerRow>(`${rows} ORDER BY ${columns}`, tenantId, userId ?? null);
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  #all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    // The callers name the columns of their statements.
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  async #call<T>(work: () => T): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve));
    const result = work();
    await new Promise((resolve) => setImmediate(resolve));
    return result;
  }
}

function toKey({ tenant, app, user, session }: OwnerRow): SessionKey {
  return { ...inTenant(tenant), appName: app, userId: user, id: session };
}
