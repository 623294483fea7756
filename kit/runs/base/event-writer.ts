import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { externalizeEvent, hasLargeInlineData } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import { contentProblem } from "#kit/events/content-problem.ts";
import { changesPast, type Event } from "#kit/events/event.ts";
import { type EventRecord, fromEventRecord, type StoredEvent, toEventRecord } from "#kit/events/event-record.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";
import { findLoadBound } from "#kit/history/find-load-bound.ts";
import { type LoadBound, NO_LOAD_BOUND } from "#kit/sessions/load-bound.ts";
import type { AppendEventsResult, FinishRunResult, RunJournal } from "#kit/sessions/run-journal.ts";
import type { Lease, RunError, RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { applyDelta } from "#kit/sessions/state-delta.ts";
import { type CachedSession, noteChangedPast } from "./session-cache.ts";

/** What a run shows to the outside: an event, and for complete ones the form in which it was stored. */
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
  /** Invocations that a summary's writer is shown once more; none when absent. */
  readonly overlap?: number | undefined;
  /** Milliseconds that only ever grow: the clock by which the lease is kept. */
  readonly monotonic: () => number;
  /** Called when somebody asked for the run's end. */
  readonly onCancelRequested: () => void;
  /** Called when the store was away for a write: whether it was done is unknown, and the run may not go on here. */
  readonly onStoreLost: (error: PlatformError) => void;
}

interface Pending {
  readonly event: Event;
  readonly record: EventRecord;
  readonly emit: boolean;
}

/**
 * The only writer of a run. Events reach the in-memory session at once, and the store when they are flushed; they are
 * emitted only after the store has them. An event may be held back so that it shares the commit of what follows,
 * `finish` at best.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #openCalls = new OpenCalls("any");
  #lease: Lease;
  #pending: Pending[] = [];
  #emissions: RunEmission[] = [];
  #flushing: Promise<void> | undefined;
  #stale = false;
  #failure: PlatformError | undefined;
  #usage: Record<string, number> | undefined;
  #keptAt: number;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#lease = options.lease;
    this.#keptAt = options.monotonic();
  }

  /** Whether the store lacks anything that was added, be it on its way there. */
  get hasPending(): boolean {
    return this.#pending.length > 0 || this.#flushing !== undefined;
  }

  /** Whether a long-running call of this run has no answer at all. */
  get awaitsInput(): boolean {
    return this.#openCalls.size > 0;
  }

  /**
   * When the newest request was sent that has extended the lease: the store let it run out no earlier than one lease
   * after that.
   */
  get keptAt(): number {
    return this.#keptAt;
  }

  /** Whether the in-memory session may serve the next run. */
  get isCacheable(): boolean {
    return !this.#stale;
  }

  /** Takes a complete event. Nothing is stored before `flush` or `finish`. */
  async add(event: Event, options: { readonly emit: boolean }): Promise<void> {
    const { artifactService, cached } = this.#options;
    assertReadable(event);
    const slim =
      artifactService !== undefined && hasLargeInlineData(event.content)
        ? await externalizeEvent(event, { artifacts: artifactService, session: sessionKey(cached.session) })
        : event;
    const record = toEventRecord(slim);
    this.#takeIn(slim, record);
    this.#pending.push({ event: slim, record, emit: options.emit });
  }

  /** Takes the event that the store has got with the run's begin. */
  open(event: Event, record: EventRecord): void {
    this.#takeIn(event, record);
    this.#options.cached.session.revision += 1;
  }

  #takeIn(event: Event, { json }: EventRecord): void {
    const { cached } = this.#options;
    cached.session.events.push(event);
    cached.session.lastUpdateTime = event.timestamp;
    cached.size += json.length;
    if (changesPast(event)) noteChangedPast(cached, event);
    applyDelta(cached.session.state, event.actions.stateDelta);
    this.#openCalls.watch(event);
    this.#addUsage(event.usageMetadata);
  }

  /**
   * Begins anew with what the session tells: calls of the invocation's turn so far, and tokens of what this run has
   * `stored` itself.
   */
  recall(turn: readonly Event[], stored: readonly Event[]): void {
    this.#openCalls = new OpenCalls("any");
    for (const event of turn) this.#openCalls.watch(event);
    this.#usage = undefined;
    for (const { usageMetadata } of stored) this.#addUsage(usageMetadata);
  }

  /** Stores what was added; concurrent calls share the work. Throws what the store throws, and then the run is over. */
  async flush(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    // Whoever caught the failure (a tool's call does) may not go on behind a gap in the history.
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending.length === 0) return;
    this.#flushing = this.#append().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** What became durable since the last call, in order. */
  takeEmissions(): readonly RunEmission[] {
    if (this.#emissions.length === 0) return NOTHING;
    const emissions = this.#emissions;
    this.#emissions = [];
    return emissions;
  }

  /** Stores what is left together with the run's end. */
  async finish(status: TerminalRunStatus, error?: RunError): Promise<RunRecord> {
    while (this.#flushing !== undefined) await this.#flushing;
    const batch = this.#pending;
    this.#pending = [];
    const loadBound = this.#owedBound();
    const result = await this.#guard(() =>
      this.#options.journal.finish({
        lease: this.#lease,
        afterRevision: this.#options.cached.session.revision,
        events: batch.map(({ record }) => record),
        status,
        ...(this.#usage !== undefined && { usage: this.#usage }),
        ...(error !== undefined && { error }),
        ...(loadBound !== undefined && { loadBound }),
      }),
    );
    this.#accept(batch, result);
    return result.run;
  }

  /** Keeps the lease of a silent run. */
  async renew(): Promise<void> {
    if (this.#flushing !== undefined) return;
    const { journal, leaseMs, monotonic, onCancelRequested } = this.#options;
    const sentAt = monotonic();
    const { lease, cancelRequested } = await journal.renew(this.#lease, leaseMs);
    this.#lease = lease;
    this.#keptAt = Math.max(this.#keptAt, sentAt);
    if (cancelRequested) onCancelRequested();
  }

  /** Gives the run up for another holder, who finds all that was added. */
  async release(): Promise<RunRecord> {
    await this.flush();
    return this.#guard(() => this.#options.journal.release(this.#lease));
  }

  /** Forgets what was not stored: after a failed write, or when the run is lost. */
  discardPending(): void {
    if (this.#pending.length > 0) this.#stale = true;
    this.#pending = [];
  }

  async #append(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    const { cached, journal, leaseMs, monotonic, onCancelRequested } = this.#options;
    const sentAt = monotonic();
    const loadBound = this.#owedBound();
    const result = await this.#guard(() =>
      journal.append({
        lease: this.#lease,
        leaseMs,
        afterRevision: cached.session.revision,
        events: batch.map(({ record }) => record),
        ...(loadBound !== undefined && { loadBound }),
      }),
    );
    this.#lease = result.lease;
    this.#keptAt = sentAt;
    this.#accept(batch, result);
    if (result.cancelRequested) onCancelRequested();
  }

  /**
   * Told with the write that makes it true, and given up when events here are not in the places that the store gave
   * them.
   */
  #owedBound(): LoadBound | undefined {
    const { cached, overlap } = this.#options;
    if (!cached.owesLoadBound) return undefined;
    cached.owesLoadBound = false;
    return this.#stale || cached.lacksRewound ? NO_LOAD_BOUND : findLoadBound(cached.history.slice(), overlap);
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
    for (const [index, { event, emit }] of batch.entries()) {
      const stored = result.stored[index];
      if (emit && stored !== undefined) this.#emissions.push({ event, stored });
    }
    for (const missed of result.missed) {
      // A change from outside came in between: this run sees its state, the next one reads the events in their order.
      this.#stale = true;
      applyDelta(session.state, fromEventRecord(missed).actions.stateDelta);
    }
  }

  #addUsage(usage: UsageMetadata | undefined): void {
    if (usage === undefined) return;
    this.#usage ??= {};
    for (const [key, value] of Object.entries(usage)) {
      if (typeof value === "number") this.#usage[key] = (this.#usage[key] ?? 0) + value;
    }
  }
}

const NOTHING: readonly RunEmission[] = [];

/** Agents and plugins of others may give anything; what no later turn could read must not get into the session. */
function assertReadable({ author, content }: Event): void {
  const problem = contentProblem(content);
  if (problem === undefined) return;
  throw new PlatformError("INVALID_FIELD", `An event of "${author}" was not stored: ${problem}.`);
}
