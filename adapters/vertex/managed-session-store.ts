import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Event } from "#kit/events/event.ts";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { checkOptions, having, integer, logger, type OptionRules, required } from "#kit/schema/check-options.ts";
import type { JournalHead } from "#kit/sessions/journal-head.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  BeginRunRequest,
  BeginRunResult,
  FinishRunRequest,
  FinishRunResult,
  ListAbandonedRequest,
  ListRunsRequest,
  ListRunsResponse,
  RunJournal,
} from "#kit/sessions/run-journal.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import { type Session, type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type {
  ApplyStateDeltaRequest,
  CreateSessionRequest,
  GetSessionConfig,
  ListEventRecordsResponse,
  ListEventsRequest,
  ListEventsResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  SessionService,
} from "#kit/sessions/session-service.ts";
import { DEFAULT_SESSION_LIMITS } from "#ports/sessions/session-limits.ts";
import {
  type IdlePage,
  type IdleSessions,
  idleSessionsOf,
  type ListIdleRequest,
} from "#ports/tenants/idle-sessions.ts";
import {
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
  oldDataOf,
} from "#ports/tenants/old-data.ts";
import type { VertexAiSessionService } from "./vertex-ai-session-service.ts";

/** Options of a `ManagedSessionStore`. */
export interface ManagedSessionStoreOptions {
  readonly managed: VertexAiSessionService;
  /** The two roles of our own store, for example of the one that `openSqliteStores` opens. */
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  /** The most milliseconds that a call waits for the managed service, which continues after them; 5,000 by default. */
  readonly maxWaitMs?: number | undefined;
  /** Gets the failures of the managed service. */
  readonly logger?: Logger | undefined;
}

const RULES: OptionRules<ManagedSessionStoreOptions> = {
  managed: required(having("appendEvents", "getSession", "canHold")),
  sessionService: required(having("createSession", "appendEvent")),
  runJournal: required(having("begin", "append", "finish", "getHeads")),
  maxWaitMs: integer(0, " milliseconds"),
  logger,
};
const DEFAULT_WAIT_MS = 5000;
const MAX_EXCHANGED_SESSIONS = 200;

/** How far a session has been exchanged between the two, as this process knows it. */
interface Exchanged {
  readonly incarnation: string;
  /** Ids of the events in our store. */
  readonly ids: Set<string>;
  /** Revisions: until these, each has what the other has. */
  own: number;
  managed: number;
}

/** The exchanges of one session, which follow each other. */
interface Exchanges {
  readonly running: Promise<void>;
  /** Has not begun, so it covers every change until then. */
  next?: Promise<void>;
}

/**
 * Sessions for runners that are kept in a managed service too. Runs, their leases and events are in our own store, because
 * the managed service has no leases: an event counts when our store has committed it under the lease of its run. It is then
 * appended to the managed service, in order. Events that other clients have appended there come into our store before a run
 * begins, and when a session is read that only the managed service has.
 *
 * No step is atomic across the two, and none has to be: both are compared by the ids of events when a process opens
 * a session for the first time, and an exchange that fails is repeated with the next change. So a process that is killed between
 * the two writes leaves a gap that the next begin of a run closes, and an event whose append had an unknown outcome
 * is not appended twice. A failure of the managed service delays its copy, is logged, and delays a run by `maxWaitMs` at most.
 *
 * Sessions that the managed service cannot hold are in our store alone: sessions of apps without an engine, of tenants, and with
 * other characters in their ids.
 *
 * @example
 * ```ts
 * const { sessionService, runJournal } = await openSqliteStores({ folder: "data" });
 * const store = new ManagedSessionStore({ managed, sessionService, runJournal });
 * const runner = new Runner({ app, sessionService: store });
 * ```
 */
export class ManagedSessionStore implements SessionService, RunJournal, IdleSessions, OldData, AsyncDisposable {
  readonly #managed: VertexAiSessionService;
  readonly #own: SessionService;
  readonly #journal: RunJournal;
  readonly #logger: Logger;
  readonly #maxWaitMs: number;
  readonly #exchanged = new BoundedCache<Exchanged>(MAX_EXCHANGED_SESSIONS);
  /** Of the sessions with an exchange in progress. */
  readonly #exchanges = new Map<string, Exchanges>();

  constructor(options: ManagedSessionStoreOptions) {
    checkOptions("new ManagedSessionStore", options, RULES);
    this.#managed = options.managed;
    this.#own = options.sessionService;
    this.#journal = options.runJournal;
    this.#logger = options.logger ?? silentLogger;
    this.#maxWaitMs = options.maxWaitMs ?? DEFAULT_WAIT_MS;
  }

  /** Waits for the exchanges in progress. Closes neither of the two. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#exchanges.keys(), (name) => this.#settled(name)));
  }

  async createSession(request: CreateSessionRequest): Promise<Session> {
    const session = await this.#own.createSession(request);
    await this.#exchangeSoon(session);
    return session;
  }

  async getSession(key: SessionKey, config?: GetSessionConfig): Promise<Session | undefined> {
    const session = await this.#own.getSession(key, config);
    if (session !== undefined || !(await this.#import(key))) return session;
    return this.#own.getSession(key, config);
  }

  /** Sessions that only the managed service has are listed once they were read. */
  listSessions(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    return this.#own.listSessions(request);
  }

  async deleteSession(key: SessionKey): Promise<void> {
    await this.#settled(nameOf(key));
    if (this.#managed.canHold(key)) await this.#managed.deleteSession(key);
    await this.#own.deleteSession(key);
    this.#exchanged.delete(nameOf(key));
  }

  listEvents(request: ListEventsRequest): Promise<ListEventsResponse> {
    return this.#own.listEvents(request);
  }

  listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    return this.#own.listEventRecords(request);
  }

  async appendEvent(session: Session, event: Event): Promise<Event> {
    const appended = await this.#own.appendEvent(session, event);
    await this.#exchangeSoon(session);
    return appended;
  }

  async closeSession(key: SessionKey): Promise<void> {
    await this.#exchangeSoon(key);
    await this.#own.closeSession(key);
    if (!this.#managed.canHold(key)) return;
    // Its time there can be over.
    await this.#managed.closeSession(key).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  listIdleSessions(request: ListIdleRequest): Promise<IdlePage> {
    return idleSessionsOf(this.#own).listIdleSessions(request);
  }

  closeIdleSession(key: SessionKey, updatedBefore: number): Promise<boolean> {
    return idleSessionsOf(this.#own).closeIdleSession(key, updatedBefore);
  }

  /** Runs are in our own store alone. */
  listOldData(request: ListOldRequest): Promise<OldPage> {
    return oldDataOf(this.#own).listOldData(request);
  }

  deleteOldData(request: DeleteOldRequest): Promise<number> {
    return oldDataOf(this.#own).deleteOldData(request);
  }

  async applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session> {
    const session = await this.#own.applyStateDelta(request);
    await this.#exchangeSoon(request);
    return session;
  }

  async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    const { session } = request;
    const [head] = await this.#journal.getHeads([session]);
    if (head === undefined) await this.#import(session);
    else await this.#exchangeSoon(session);
    const begun = await this.#journal.begin(request);
    if (begun.kind === "started") void this.#exchange(session);
    return begun;
  }

  async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    const appended = await this.#journal.append(request);
    void this.#exchange(request.lease.session);
    return appended;
  }

  async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const finished = await this.#journal.finish(request);
    await this.#exchangeSoon(request.lease.session);
    return finished;
  }

  renew(lease: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    return this.#journal.renew(lease, leaseMs);
  }

  release(lease: Lease): Promise<RunRecord> {
    return this.#journal.release(lease);
  }

  cancel(runId: string, tenantId?: string): Promise<RunRecord> {
    return this.#journal.cancel(runId, tenantId);
  }

  get(runId: string, tenantId?: string): Promise<RunRecord | undefined> {
    return this.#journal.get(runId, tenantId);
  }

  list(request: ListRunsRequest): Promise<ListRunsResponse> {
    return this.#journal.list(request);
  }

  getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    return this.#journal.getHeads(sessions);
  }

  listAbandoned(request: ListAbandonedRequest): Promise<readonly RunRecord[]> {
    return this.#journal.listAbandoned(request);
  }

  /** Creates a session that only the managed service has in our store; false if it has none or cannot be reached. */
  async #import(key: SessionKey): Promise<boolean> {
    if (!this.#managed.canHold(key)) return false;
    try {
      const found = await this.#managed.getSession(key);
      if (found === undefined) return false;
      const { maxImportedEvents } = DEFAULT_SESSION_LIMITS;
      const events = found.events.slice(0, maxImportedEvents);
      await this.#own.createSession({ ...sessionKey(key), state: found.state, events });
      await this.#exchange(key);
      return true;
    } catch (error) {
      this.#failed(key, error);
      return false;
    }
  }

  /** Waits for an exchange, but not for a service that does not answer. */
  async #exchangeSoon(session: SessionKey): Promise<void> {
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#maxWaitMs);
    await Promise.race([this.#exchange(session), timeout]);
    clearTimeout(timer);
  }

  /** Brings both to the same events. Never rejects. Of each session one exchange waits at most, however many changes come. */
  #exchange(session: SessionKey): Promise<void> {
    const key = sessionKey(session);
    if (!this.#managed.canHold(key)) return Promise.resolve();
    const name = nameOf(key);
    const current = this.#exchanges.get(name);
    if (current === undefined) return this.#startExchange(key, name);
    current.next ??= current.running.then(() => this.#startExchange(key, name));
    return current.next;
  }

  #startExchange(key: SessionKey, name: string): Promise<void> {
    const running = this.#exchangeNow(key)
      .catch((error: unknown) => this.#failed(key, error))
      .then(() => {
        if (exchanges.next === undefined) this.#exchanges.delete(name);
      });
    const exchanges: Exchanges = { running };
    this.#exchanges.set(name, exchanges);
    return running;
  }

  async #settled(name: string): Promise<void> {
    const exchanges = this.#exchanges.get(name);
    await (exchanges?.next ?? exchanges?.running);
  }

  async #exchangeNow(key: SessionKey): Promise<void> {
    const [head] = await this.#journal.getHeads([key]);
    if (head === undefined) return;
    const { incarnation } = head;
    const known = this.#exchanged.get(nameOf(key));
    const exchanged =
      known?.incarnation === incarnation ? known : { incarnation, ids: new Set<string>(), own: 0, managed: 0 };
    const { events: news } = await this.#own.listEventRecords({ ...key, afterRevision: exchanged.own });
    for (const { id } of news) exchanged.ids.add(id);
    const theirs = await this.#appendAll(key, news.map(fromEventRecord), exchanged.managed);
    exchanged.own = news.at(-1)?.sequence ?? exchanged.own;
    // What was committed meanwhile can be in the answer, and is not of another client.
    const { events: later } = await this.#own.listEventRecords({ ...key, afterRevision: exchanged.own });
    const own = new Set(later.map(({ id }) => id));
    const foreign = theirs.filter(({ id }) => !exchanged.ids.has(id) && !own.has(id));
    if (foreign.length > 0) await this.#takeOver(key, foreign.map(fromEventRecord));
    exchanged.managed = theirs.at(-1)?.sequence ?? exchanged.managed;
    this.#exchanged.set(nameOf(key), exchanged);
  }

  /** Their ids become known when the next exchange reads them. */
  async #takeOver(key: SessionKey, events: readonly Event[]): Promise<void> {
    const session = await this.#own.getSession(key, { numRecentEvents: 0 });
    if (session === undefined) return;
    for (const event of events) await this.#own.appendEvent(session, event);
  }

  async #appendAll(key: SessionKey, events: readonly Event[], after: number) {
    try {
      return await this.#managed.appendEvents(key, events, after);
    } catch (error) {
      const session = isMissing(error) ? await this.#own.getSession(key) : undefined;
      if (session === undefined) throw error;
      // Its time was over, or it was never created there. The deltas of the events lead to the same state again.
      await this.#managed.createSession({ ...key, state: session.state });
      return await this.#managed.appendEvents(key, session.events, 0);
    }
  }

  #failed({ appName, id }: SessionKey, error: unknown): void {
    const fields = { appName, sessionId: id, error: error instanceof Error ? error.message : String(error) };
    this.#logger.warn(fields, "The managed session service lacks events of a session until its next exchange.");
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "SESSION_NOT_FOUND";
}

function nameOf({ appName, userId, id }: SessionKey): string {
  return JSON.stringify([appName, userId, id]);
}
