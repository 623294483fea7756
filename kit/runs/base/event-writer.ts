import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { externalizeEvent, hasLargeInlineData } from "#kit/artifacts/inline-data.ts";
import type { RunConfig } from "#kit/core/context/run-config.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import { contentProblem } from "#kit/events/content-problem.ts";
import { changesPast, type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { type EventRecord, fromEventRecord, type StoredEvent, toEventRecord } from "#kit/events/event-record.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";
import { findHistoryStart } from "#kit/history/find-history-start.ts";
import { type HistoryStart, NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import type { AppendEventsResult, FinishRunResult, RunJournal } from "#kit/sessions/run-journal.ts";
import type { Lease, RunError, RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { applyDelta } from "#kit/sessions/state-delta.ts";
import { RunUsage } from "./run-usage.ts";
import { type CachedSession, noteChangedPast } from "./session-cache.ts";

/** An event for the run's readers, with its stored form if it is complete. */
export interface RunEmission {
  readonly event: Event;
  readonly stored?: StoredEvent;
}

export interface EventWriterOptions {
  readonly journal: RunJournal;
  readonly lease: Lease;
  readonly leaseMs: number;
  readonly cached: CachedSession;
  readonly artifactService?: ArtifactService | undefined;
  /** What the run may store; no limits if absent. */
  readonly limits?: Pick<RunConfig, "maxRunEvents" | "maxRunCharacters"> | undefined;
  /** How many summarized invocations the next summarizer gets again; none if absent. */
  readonly overlap?: number | undefined;
  /** Monotonic milliseconds: the clock for the lease. */
  readonly monotonic: () => number;
  /**
   * Resolves when the start of the run is durable, so that a power failure cannot undo it; absent if it is durable
   * already.
   */
  readonly durable?: Promise<void> | undefined;
  /** Called when the run's record requests its cancellation. */
  readonly onCancelRequested: () => void;
  /** Called when the store was unavailable for a write: whether it was done is unknown, so the run must end here. */
  readonly onStoreLost: (error: PlatformError) => void;
}

interface Pending {
  readonly event: Event;
  readonly record: EventRecord;
  readonly emit: boolean;
}

/**
 * The only writer of a run's session while the run has the lease. `add` puts a complete event into the in-memory
 * session immediately and makes it pending; `flush` appends pending events to the store in one commit; `takeEmissions`
 * returns what has been stored since the last call, so that readers see only stored events. An event may stay pending
 * so that it shares a commit with the next one, or with `finish`. Each append also extends the lease, and may report a
 * requested cancellation. A failed write ends the writer: every later `flush` throws the same error. `finish` (the
 * run's end) or `release` (a handover) is the last call.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #openCalls = new OpenCalls("user");
  #lease: Lease;
  #pending: Pending[] = [];
  #emissions: RunEmission[] = [];
  #flushing: Promise<void> | undefined;
  #stale = false;
  #failure: PlatformError | undefined;
  #usage: RunUsage | undefined;
  #reported: RunError | undefined;
  #keptAt: number;
  #events = 0;
  #characters = 0;
  #isTooLarge = false;
  /** Undefined once the start of the run is durable. */
  #durable: Promise<void> | undefined;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#lease = options.lease;
    this.#keptAt = options.monotonic();
    if (options.durable !== undefined) this.#watchBegin(options.durable);
  }

  /** Whether added events are not stored yet; true also during a write. */
  get hasPending(): boolean {
    return this.#pending.length > 0 || this.#flushing !== undefined;
  }

  /** Whether `flush` has something to do: to store pending events, or to throw because a write has failed. */
  get needsFlush(): boolean {
    return this.hasPending || this.#failure !== undefined;
  }

  /**
   * What the events say of the run's end: whether a long-running call waits for its final response, which comes from
   * outside, and the newest error of an agent's event.
   */
  get facts(): { readonly awaitsInput: boolean; readonly reported: RunError | undefined } {
    return { awaitsInput: this.#openCalls.size > 0, reported: this.#reported };
  }

  /**
   * Resolves when everything that is stored is durable, so that a power failure cannot undo it; undefined if it is
   * durable already. Only the start of the run may be stored before it is durable, and every later write makes it
   * durable too. Rejects as `flush`.
   */
  get durable(): Promise<void> | undefined {
    return this.#durable;
  }

  /** When the newest request that extended the lease was sent: the lease ends no earlier than `leaseMs` after that. */
  get keptAt(): number {
    return this.#keptAt;
  }

  /** Whether the in-memory session may serve the next run. */
  get isCacheable(): boolean {
    return !this.#stale;
  }

  /** Adds a complete event. It is stored by the next `flush` or `finish`. */
  async add(event: Event, options: { readonly emit: boolean }): Promise<void> {
    const { artifactService, cached } = this.#options;
    assertReadable(event);
    const slim =
      artifactService !== undefined && hasLargeInlineData(event.content)
        ? await externalizeEvent(event, { artifacts: artifactService, session: sessionKey(cached.session) })
        : event;
    const record = toEventRecord(slim);
    this.#count(record.json.length);
    this.#apply(slim, record);
    this.#pending.push({ event: slim, record, emit: options.emit });
  }

  /** Throws `RUN_TOO_LARGE` once: the events that end the run afterwards are stored. */
  #count(characters: number): void {
    const { limits } = this.#options;
    if (limits === undefined || this.#isTooLarge) return;
    this.#events += 1;
    this.#characters += characters;
    this.#isTooLarge = this.#events > limits.maxRunEvents || this.#characters > limits.maxRunCharacters;
    if (!this.#isTooLarge) return;
    const limit =
      this.#events > limits.maxRunEvents
        ? `${limits.maxRunEvents} events (maxRunEvents)`
        : `${limits.maxRunCharacters} characters of events (maxRunCharacters)`;
    throw new PlatformError("RUN_TOO_LARGE", `The run has more than ${limit}.`);
  }

  /** Adds the event that was stored with the run's begin. */
  open(event: Event, record: EventRecord): void {
    this.#apply(event, record);
    this.#options.cached.session.revision += 1;
  }

  #apply(event: Event, { json }: EventRecord): void {
    const { cached } = this.#options;
    cached.session.events.push(event);
    cached.session.lastUpdateTime = event.timestamp;
    cached.size += json.length;
    if (changesPast(event)) noteChangedPast(cached, event);
    applyDelta(cached.session.state, event.actions.stateDelta);
    this.#openCalls.watch(event);
    this.#observe(event);
  }

  /**
   * Restores the writer of a resumed or recovered turn from the session: the open calls of `turn`, and the tokens of
   * the events that this run has `stored` itself.
   */
  recall(turn: readonly Event[], stored: readonly Event[]): void {
    this.#openCalls = new OpenCalls("user");
    for (const event of turn) this.#openCalls.watch(event);
    this.#usage = undefined;
    this.#reported = undefined;
    for (const event of stored) this.#observe(event);
    this.#events = stored.length;
    if (this.#options.limits !== undefined)
      this.#characters = stored.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  }

  /**
   * Stores the pending events; concurrent calls share the write. Throws what the store throws; the run must end then.
   */
  async flush(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    // A caller that caught the failure (a tool call does) must not continue after a gap in the history.
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending.length === 0) return;
    this.#flushing = this.#append().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** As `flush`, and resolves when all of the run is durable. */
  async persist(): Promise<void> {
    await this.flush();
    await this.#durable;
  }

  /** Returns the events that were stored since the last call, in order. */
  takeEmissions(): readonly RunEmission[] {
    if (this.#emissions.length === 0) return NOTHING;
    const emissions = this.#emissions;
    this.#emissions = [];
    return emissions;
  }

  /** Stores the pending events together with the run's end. */
  async finish(status: TerminalRunStatus, error?: RunError): Promise<RunRecord> {
    while (this.#flushing !== undefined) await this.#flushing;
    const batch = this.#pending;
    this.#pending = [];
    const historyStart = this.#dueHistoryStart();
    const result = await this.#guard(() =>
      this.#options.journal.finish({
        lease: this.#lease,
        afterRevision: this.#options.cached.session.revision,
        events: batch.map(({ record }) => record),
        status,
        usage: this.#usage?.total(),
        error,
        historyStart,
      }),
    );
    this.#accept(batch, result);
    return result.run;
  }

  /** Renews the lease of a run that writes no events. */
  async renew(): Promise<void> {
    if (this.#flushing !== undefined) return;
    const { journal, leaseMs, monotonic, onCancelRequested } = this.#options;
    const sentAt = monotonic();
    const { lease, cancelRequested } = await journal.renew(this.#lease, leaseMs);
    this.#lease = lease;
    this.#keptAt = Math.max(this.#keptAt, sentAt);
    if (cancelRequested) onCancelRequested();
  }

  /** Stores the pending events and hands the run over to another runner. */
  async release(): Promise<RunRecord> {
    await this.flush();
    return this.#guard(() => this.#options.journal.release(this.#lease));
  }

  /** Drops the pending events: after a failed write, or when the run is lost. */
  discardPending(): void {
    if (this.#pending.length > 0) this.#stale = true;
    this.#pending = [];
  }

  #watchBegin(durable: Promise<void>): void {
    const watched = this.#guard(() => durable).then(() => {
      this.#durable = undefined;
    });
    // The run may end before it awaits the promise.
    watched.catch(() => {});
    this.#durable = watched;
  }

  async #append(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    const { cached, journal, leaseMs, monotonic, onCancelRequested } = this.#options;
    const sentAt = monotonic();
    const historyStart = this.#dueHistoryStart();
    const result = await this.#guard(() =>
      journal.append({
        lease: this.#lease,
        leaseMs,
        afterRevision: cached.session.revision,
        events: batch.map(({ record }) => record),
        historyStart,
      }),
    );
    this.#lease = result.lease;
    this.#keptAt = sentAt;
    this.#accept(batch, result);
    if (result.cancelRequested) onCancelRequested();
  }

  /**
   * The history start to store with this write, if one is due. No bound is stored if the events here do not have the
   * sequences of the store.
   */
  #dueHistoryStart(): HistoryStart | undefined {
    const { cached, overlap } = this.#options;
    if (!cached.needsHistoryStart) return undefined;
    cached.needsHistoryStart = false;
    return this.#stale || cached.lacksRewound ? NO_HISTORY_START : findHistoryStart(cached.history.slice(), overlap);
  }

  async #guard<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      this.#stale = true;
      this.#failure = this.#failureOf(error);
      throw this.#failure;
    }
  }

  #failureOf(error: unknown): PlatformError {
    if (!(error instanceof PlatformError))
      return new PlatformError("STORE_UNAVAILABLE", "The session store failed.", { cause: error });
    if (!error.unavailable) return error;
    const lost = new LeaseLostError(this.#lease.runId, error);
    this.#options.onStoreLost(lost);
    return lost;
  }

  #accept(batch: readonly Pending[], result: AppendEventsResult | FinishRunResult): void {
    const { session } = this.#options.cached;
    session.revision = result.revision;
    this.#durable = undefined;
    for (const [index, { event, emit }] of batch.entries()) {
      const stored = result.stored[index];
      if (emit && stored !== undefined) this.#emissions.push({ event, stored });
    }
    for (const missed of result.missed) {
      // Another writer changed the session in between: this run applies the state, the next run reads the events in
      // order.
      this.#stale = true;
      applyDelta(session.state, fromEventRecord(missed).actions.stateDelta);
    }
  }

  #observe({ author, errorCode, errorMessage = "", usageMetadata: usage, modelVersion }: Event): void {
    if (errorCode !== undefined && author !== USER_AUTHOR)
      this.#reported = {
        code: "UNKNOWN",
        reason: errorCode.slice(0, MAX_REASON),
        message: errorMessage.slice(0, MAX_REPORTED),
      };
    if (usage === undefined) return;
    this.#usage ??= new RunUsage();
    this.#usage.add(usage, modelVersion);
  }
}

const NOTHING: readonly RunEmission[] = [];
/** Most characters that a run's record keeps of an error that an event reports. */
const MAX_REASON = 200;
const MAX_REPORTED = 1_000;

/** Agents and plugins may yield invalid events; an event that no later turn could read must not be stored. */
function assertReadable({ author, content }: Event): void {
  const problem = contentProblem(content);
  if (problem === undefined) return;
  throw new PlatformError("INVALID_FIELD", `An event of "${author}" was not stored: ${problem}.`);
}
