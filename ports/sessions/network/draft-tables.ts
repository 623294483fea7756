import type { StoredEvent } from "#kit/events/event-record.ts";
import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import { type ScopedDelta, setOwn } from "#kit/sessions/state-delta.ts";
import { cutEventPage } from "#ports/sessions/event-pages.ts";
import type { OldRunTables } from "#ports/sessions/old-runs/old-run-tables.ts";
import { newSessionHead, type SessionHead } from "#ports/sessions/session-head.ts";
import type { ScopeName } from "#ports/sessions/session-limits.ts";
import { readOfPage, type SessionRead } from "#ports/sessions/session-reads.ts";
import type {
  AbandonedOptions,
  EventPage,
  EventPageRequest,
  IdleHeads,
  IdleOptions,
  ListOptions,
  NumberedRuns,
  RunFilter,
  RunsPlace,
  SessionScopes,
  SessionTables,
} from "#ports/sessions/session-tables.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import { NOTHING_STORED, type StorageCount, type StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { jsonBytes, sumOfStored } from "#ports/storage-limits/stored-counts.ts";
import type { DataDeletion } from "#ports/tenants/tenant-data.ts";
import { type HeadMemory, sessionName } from "./head-memory.ts";
import {
  type AnswerOf,
  type CountChange,
  type NetworkHead,
  type RunChange,
  type SessionAnswers,
  type SessionAttempt,
  type SessionChange,
  UNREAD_REQUEST,
} from "./session-database.ts";

/**
 * The tables of one attempt of an operation: the answers to the reads that it has declared, and the change that it makes.
 * They answer without waiting, so the operation decides on what was read and on nothing else.
 */
export class DraftTables<Version> implements SessionTables<NetworkHead<Version>>, SessionAnswers<Version> {
  readonly oldRuns: OldRunTables<NetworkHead<Version>> = {
    walk: (options) => this.#answer({ kind: "walked-runs", options }),
    find: (names) => this.#answer({ kind: "run-outlines", names }),
    delete: (head, run) => {
      this.#runs.push({ kind: "delete", run });
      this.save(head);
    },
  };
  readonly #attempt: SessionAttempt<Version>;
  /** Absent if the operation only reads: it must not see what is out of date. */
  readonly #memory: HeadMemory<Version> | undefined;
  readonly #ids: IdGenerator;
  readonly #answers = new Map<string, unknown>();
  readonly #before = new Map<NetworkHead<Version>, SessionHead>();
  readonly #states = new Map<NetworkHead<Version>, StateScope>();
  readonly #events: StoredEvent[] = [];
  readonly #runs: RunChange[] = [];
  readonly #deltas = { session: {}, app: {}, user: {} };
  readonly #counts = new Map<string, CountChange<Version>>();
  #kind: SessionChange<Version>["kind"] = "update";
  #changed: NetworkHead<Version> | undefined;
  #usedMemory = false;
  #isTorn = false;

  constructor(attempt: SessionAttempt<Version>, { ids }: { readonly ids: IdGenerator }, memory?: HeadMemory<Version>) {
    this.#attempt = attempt;
    this.#memory = memory;
    this.#ids = ids;
  }

  /** Whether a head was not read for the operation and may be out of date. */
  get usedMemory(): boolean {
    return this.#usedMemory;
  }

  /** Whether events were missing that a head counts: the session was deleted while it was read. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  get change(): SessionChange<Version> | undefined {
    const head = this.#changed;
    if (head === undefined) return undefined;
    const { session: state, app, user } = this.#deltas;
    const [before, counts] = [this.#before.get(head), [...this.#counts.values()]];
    return { kind: this.#kind, head, before, events: this.#events, runs: this.#runs, state, app, user, counts };
  }

  /** Reads what the operation has declared. */
  async load(reads: readonly SessionRead[]): Promise<void> {
    const unknown = reads.filter((read) => !this.#answerNow(read));
    if (unknown.length > 0) await this.#attempt.read(unknown, this);
  }

  set<Kind extends SessionRead["kind"]>(
    read: Extract<SessionRead, { kind: Kind }>,
    answer: AnswerOf<Version>[Kind],
  ): void {
    const isHead = read.kind === "head" && answer !== undefined;
    // The answer to the read of a head is a head.
    this.#answers.set(nameOf(read), isHead ? this.#forChange(answer as NetworkHead<Version>) : answer);
  }

  find(key: SessionKey): NetworkHead<Version> | undefined {
    return this.#answer({ kind: "head", session: key });
  }

  create(key: SessionKey, lastUpdateTime: number): NetworkHead<Version> {
    const started = newSessionHead(sessionKey(key), this.#ids.next(), lastUpdateTime);
    const head = { ...started, version: undefined, openState: () => new StateScope() };
    this.#answers.set(nameOf({ kind: "head", session: key }), head);
    this.#kind = "create";
    this.save(head);
    return head;
  }

  save(head: NetworkHead<Version>): void {
    this.#changed = head;
  }

  saveHistoryStart(head: NetworkHead<Version>, bound: HistoryStart | undefined): void {
    head.historyStart = bound;
    this.save(head);
  }

  delete(head: NetworkHead<Version>): void {
    this.#kind = "delete";
    this.save(head);
  }

  list(owner: Omit<SessionKey, "id">, options: ListOptions): readonly NetworkHead<Version>[] {
    return this.#answer({ kind: "sessions", owner, options });
  }

  scopes(head: NetworkHead<Version>): SessionScopes {
    return { ...this.#answer({ kind: "shared-state", owner: head.key }), session: this.#stateOf(head) };
  }

  /** An append of a run reads no state, and its caller knows its size: only scopes that were read anyway are known. */
  knownScope(name: ScopeName, key: SessionKey, head: NetworkHead<Version> | undefined): StateScope | undefined {
    if (name !== "session") return this.#find({ kind: "shared-state", owner: key })?.[name];
    if (head === undefined) return new StateScope();
    return head.openState === undefined ? undefined : this.#stateOf(head);
  }

  applyDelta(head: NetworkHead<Version>, delta: ScopedDelta): void {
    const shared = this.#find({ kind: "shared-state", owner: head.key });
    const scopes = { session: this.#states.get(head), app: shared?.app, user: shared?.user };
    for (const name of ["session", "app", "user"] as const) {
      scopes[name]?.apply(delta[name]);
      addTo(this.#deltas[name], delta[name]);
    }
    this.save(head);
  }

  insertEvent(head: NetworkHead<Version>, event: StoredEvent): void {
    this.#events.push(event);
    this.save(head);
  }

  events(head: NetworkHead<Version>, afterRevision: number, limit?: number): readonly StoredEvent[] {
    const events = this.#answer({ kind: "events", head, afterRevision, limit });
    if (events.length < Math.min(head.revision - afterRevision, limit ?? head.revision)) this.#isTorn = true;
    return events;
  }

  eventPage(head: NetworkHead<Version>, request: EventPageRequest): EventPage {
    const { afterRevision, limit } = readOfPage(head, request);
    const page = cutEventPage(this.events(head, afterRevision, limit), request);
    return { ...page, hasMore: page.hasMore || (limit !== undefined && page.last < head.revision) };
  }

  boundedEvents(head: NetworkHead<Version>, bound: HistoryStart): readonly StoredEvent[] {
    const events = this.#answer({ kind: "bounded-events", head, bound });
    if (events.length < bound.earlier.length + Math.max(0, head.revision - bound.from + 1)) this.#isTorn = true;
    return events;
  }

  hasEvent(head: NetworkHead<Version>, eventId: string): boolean {
    return this.#answer({ kind: "outside-event", head, eventId });
  }

  insertRun(head: NetworkHead<Version>, run: RunRecord): number {
    this.#runs.push({ kind: "insert", run });
    this.save(head);
    return jsonBytes(run.request);
  }

  updateRun(head: NetworkHead<Version>, run: RunRecord): void {
    this.#runs.push({ kind: "update", run });
    this.save(head);
  }

  saveAnswer(head: NetworkHead<Version>, runId: string, answeredBy: string): void {
    this.#runs.push({ kind: "answer", runId, answeredBy });
    this.save(head);
  }

  findRun(runId: string, tenant: TenantScoped): RunRecord | undefined {
    return this.#answer({ kind: "run", runId, tenant });
  }

  findRunByIdempotencyKey({ key: session }: NetworkHead<Version>, idempotencyKey: string): RunRecord | undefined {
    // A session that this operation creates has no runs.
    if (this.#kind === "create") return undefined;
    return this.#answer({ kind: "keyed-run", session, idempotencyKey });
  }

  listRuns(filter: RunFilter, place: RunsPlace): NumberedRuns {
    return this.#answer({ kind: "runs", filter, place });
  }

  listIdle(options: IdleOptions): IdleHeads {
    return this.#answer({ kind: "idle-sessions", options });
  }

  listAbandoned(options: AbandonedOptions): readonly RunRecord[] {
    return this.#answer({ kind: "abandoned-runs", options });
  }

  stored(count: StorageCount): StoredAmounts {
    const before = this.#answer({ kind: "stored", count })?.amounts ?? NOTHING_STORED;
    return sumOfStored(this.#counts.get(countName(count))?.change, before);
  }

  addStored(count: StorageCount, change: StoredAmounts, exact: boolean): void {
    const name = countName(count);
    const known = this.#counts.get(name);
    const expect = exact ? (this.#answer({ kind: "stored", count })?.version ?? "missing") : undefined;
    const sum = sumOfStored(known?.change, change);
    this.#counts.set(name, { count, change: sum, expect: known?.expect ?? expect });
  }

  deletions(): readonly DataDeletion[] {
    return this.#answer({ kind: "deletions" });
  }

  ownedItems(): never {
    throw notOfOneAttempt();
  }

  deleteOwned(): never {
    throw notOfOneAttempt();
  }

  saveDeletion(): never {
    throw notOfOneAttempt();
  }

  dropDeletion(): never {
    throw notOfOneAttempt();
  }

  /** Whether no call is needed. */
  #answerNow(read: SessionRead): boolean {
    if (read.kind === "events" && read.afterRevision >= read.head.revision) {
      this.set(read, []);
      return true;
    }
    if (read.kind !== "head" || read.isFresh === true) return false;
    const remembered = this.#memory?.get(read.session);
    if (remembered === undefined) return false;
    this.#usedMemory = true;
    this.set(read, remembered);
    return true;
  }

  /** A head that the operation may change; what it was is kept. */
  #forChange(found: NetworkHead<Version>): NetworkHead<Version> {
    const head = { ...found };
    const { active } = head;
    const remembered = active && this.#memory?.get(head.key)?.active?.run;
    if (active?.run.request === UNREAD_REQUEST && remembered?.runId === active.run.runId)
      head.active = { ...active, run: { ...active.run, request: remembered.request } };
    this.#before.set(head, { ...head });
    return head;
  }

  #stateOf(head: NetworkHead<Version>): StateScope {
    const known = this.#states.get(head);
    if (known !== undefined) return known;
    if (head.openState === undefined) throw undeclared("the state of a session");
    const state = head.openState();
    if (head === this.#changed) state.apply(this.#deltas.session);
    this.#states.set(head, state);
    return state;
  }

  #find<Read extends SessionRead>(read: Read): AnswerOf<Version>[Read["kind"]] | undefined {
    // `set` stores only answers to reads of this kind under such a name.
    return this.#answers.get(nameOf(read)) as AnswerOf<Version>[Read["kind"]] | undefined;
  }

  #answer<Read extends SessionRead>(read: Read): AnswerOf<Version>[Read["kind"]] {
    if (!this.#answers.has(nameOf(read))) throw undeclared(read.kind);
    // As in `#find`; an answer may be undefined.
    return this.#find(read) as AnswerOf<Version>[Read["kind"]];
  }
}

/** Reads of equal names have equal answers. */
function nameOf(read: SessionRead): string {
  switch (read.kind) {
    case "head":
      return `head\n${sessionName(read.session)}`;
    case "shared-state":
      return `shared-state\n${tenantOf(read.owner)}\n${read.owner.appName}\n${read.owner.userId}`;
    case "stored":
      return `stored\n${countName(read.count)}`;
    case "run":
      return `run\n${tenantOf(read.tenant)}\n${read.runId}`;
    case "keyed-run":
      return `keyed-run\n${sessionName(read.session)}\n${read.idempotencyKey}`;
    case "events":
      return `events\n${sessionName(read.head.key)}\n${read.afterRevision}\n${read.limit}`;
    case "bounded-events":
      return `bounded-events\n${sessionName(read.head.key)}\n${read.bound.from}\n${read.bound.earlier}`;
    case "outside-event":
      return `outside-event\n${sessionName(read.head.key)}\n${read.eventId}`;
    case "run-outlines":
      return `run-outlines\n${JSON.stringify(read.names)}`;
    // An operation declares no two of these.
    case "deletions":
    case "sessions":
    case "runs":
    case "idle-sessions":
    case "walked-runs":
    case "abandoned-runs":
      return read.kind;
    default:
      return read satisfies never;
  }
}

function countName(count: StorageCount): string {
  return `${tenantOf(count)}\n${count.scope}\n${count.name}`;
}

/** Adds a delta to another; later values win. */
function addTo(target: Record<string, JsonValue>, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) setOwn(target, key, value);
}

function undeclared(what: string): Error {
  return new Error(`An operation uses ${what} without having declared the read.`);
}

function notOfOneAttempt(): Error {
  return new Error("The data of an owner is not read or deleted by one attempt; the store does it itself.");
}
