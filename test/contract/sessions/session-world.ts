import { createEvent, type Event, type EventInput } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { type EventRecord, toEventRecord } from "#kit/events/event-record.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { BeginRunRequest, BeginRunResult, RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";

export type SessionStore = SessionService & RunJournal;

export interface SessionServiceContract<Store extends SessionService = SessionService> {
  /** An empty store that takes its time and ids from the given sources. */
  readonly create: (sources: {
    readonly clock: Clock;
    readonly ids: IdGenerator;
  }) => Promise<{ readonly store: Store; readonly dispose: () => Promise<void> }>;
  /** Features that the service of another owner can lack; our own stores have all. */
  readonly features?: {
    /** Lists know how many events a session has. */
    readonly listedRevisions?: false;
  };
}

/** The contract of a store that is a journal of runs too. */
export type SessionStoreContract = SessionServiceContract<SessionStore>;

/** The one store of an object that has both of its roles. */
export function joinSessionStore(stores: {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
}): SessionStore {
  const { sessionService, runJournal } = stores;
  const isBoth = (store: object): store is SessionStore => store === sessionService && store === runJournal;
  if (!isBoth(runJournal)) throw new Error("sessionService and runJournal must be one object");
  return runJournal;
}

export interface SessionWorld<Store extends SessionService = SessionStore> extends AsyncDisposable {
  readonly store: Store;
  readonly clock: FixedClock;
}

export async function startSessionWorld<Store extends SessionService>({
  create,
}: SessionServiceContract<Store>): Promise<SessionWorld<Store>> {
  const clock = new FixedClock(NOW);
  const { store, dispose } = await create({ clock, ids: new SequentialIds() });
  return { store, clock, [Symbol.asyncDispose]: dispose };
}

export const NOW = 1_800_000_000_000;
export const LEASE_MS = 10_000;
export const OWNER = { appName: "app", userId: "user" };
export const KEY: SessionKey = { ...OWNER, id: "session" };

/** An event whose text is its id, at the given time. */
export function said(id: string, overrides: Partial<EventInput> = {}): Event {
  const content = { role: "model", parts: [{ text: id }] };
  return createEvent({ id, invocationId: "invocation", author: "agent", timestamp: NOW, content, ...overrides });
}

export function changing(id: string, stateDelta: JsonObject): Event {
  return said(id, { actions: createEventActions({ stateDelta }) });
}

export function record(id: string, stateDelta: JsonObject = {}): EventRecord {
  return toEventRecord(changing(id, stateDelta));
}

export function beginRequest(runId: string, overrides: Partial<BeginRunRequest> = {}): BeginRunRequest {
  return {
    runId,
    session: KEY,
    invocationId: `invocation of ${runId}`,
    request: { newMessage: { role: "user", parts: [{ text: runId }] } },
    policy: "enqueue",
    holder: "runner 1",
    leaseMs: LEASE_MS,
    haveRevision: 0,
    ...overrides,
  };
}

/** Begins a run that must start immediately. */
export async function started(store: RunJournal, runId: string, overrides: Partial<BeginRunRequest> = {}) {
  const result: BeginRunResult = await store.begin(beginRequest(runId, overrides));
  if (result.kind !== "started") throw new Error(`Run ${runId} did not start, it is ${result.kind}.`);
  return result;
}

/** The session's events as `sequence:id`. */
export async function storedIds(store: SessionService): Promise<readonly string[]> {
  return (await store.listEventRecords(KEY)).events.map(({ id, sequence }) => `${sequence}:${id}`);
}

/** The reason with which a promise is rejected, and its details. */
export function refusal(reason: string, details: Readonly<Record<string, string>> = { sessionId: KEY.id }) {
  return { reason, details };
}
