import { setTimeout as pause } from "node:timers/promises";
import type { App } from "../agents/app.ts";
import { createRunConfig, type RunConfig, StreamingMode } from "../agents/run-config.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { SessionNotFoundError } from "../errors/session-errors.ts";
import type { Event } from "../events/event.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "../platform/id-generator.ts";
import { type Logger, silentLogger } from "../platform/logger.ts";
import { PluginManager } from "../plugins/plugin-manager.ts";
import { InMemorySessionStore } from "../sessions/in-memory-session-store.ts";
import type { BeginRunResult, RunJournal } from "../sessions/run-journal.ts";
import type { RunRecord, RunRequest } from "../sessions/run-record.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { RunTrace } from "../telemetry/run-trace.ts";
import { answeredInvocation } from "./answered-invocation.ts";
import { checkMessage } from "./check-message.ts";
import { EventWriter, type RunEmission } from "./event-writer.ts";
import { executeRun } from "./execute-run.ts";
import { createLiveRunConfig } from "./live-run-config.ts";
import { rewindSession } from "./rewind-session.ts";
import { RunTurns } from "./run-turns.ts";
import {
  type BeginOutcome,
  type BeginRequest,
  DEFAULT_LEASE_MS,
  type RewindRequest,
  type RunAsyncRequest,
  type RunLiveRequest,
  type RunnerOptions,
} from "./runner-options.ts";
import { type CachedSession, SessionCache, updateCached } from "./session-cache.ts";
import type { StartedRun } from "./started-run.ts";
import { firstNeeded, widenHistory } from "./widen-history.ts";

/** How long to wait before looking again at a run that another process executes. */
const QUEUE_POLL_MS = 100;

/** Runs the agents of one app. Holds no run's state: everything a run needs to go on elsewhere is in the journal. */
export class Runner {
  readonly app: App;
  readonly sessionService: SessionService;
  readonly journal: RunJournal;
  readonly pluginManager: PluginManager;
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #logger: Logger;
  readonly #cache: SessionCache;
  readonly #holder: string;
  readonly #leaseMs: number;
  readonly #turns = new RunTurns();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#ids = options.ids ?? new UuidV7Generator();
    const { sessionService, journal } = storesOf(options, this.#clock, this.#ids);
    this.app = options.app;
    this.sessionService = sessionService;
    this.journal = journal;
    this.pluginManager = new PluginManager(options.app.plugins);
    this.#logger = options.logger ?? silentLogger;
    this.#cache = options.sessionCache ?? new SessionCache();
    this.#holder = options.holder ?? this.#ids.next();
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  }

  /**
   * Runs the agent on a message and gives its events, pieces included when the run streams. Waits for its turn when another run holds the
   * session. Stopping to read, or the signal, cancels the run. A failure is stored as an event, given, and then thrown.
   */
  runAsync(request: RunAsyncRequest): AsyncGenerator<Event, void, undefined> {
    return this.#follow(() => this.#startRun(request), request.signal);
  }

  /**
   * Runs the agent over a live connection of its model: what the queue brings goes to the model as it comes, until the queue is closed or
   * the model ends the connection. Stopping to read, or the signal, cancels the run. Throws `LIVE_NOT_SUPPORTED`, stored like any failure.
   */
  runLive(request: RunLiveRequest): AsyncGenerator<Event, void, undefined> {
    return this.#follow(() => this.#startLiveRun(request), request.signal);
  }

  /**
   * Takes the session back to before an invocation: the agent and its state and files are as they were then. Nothing is deleted from the
   * history; a marker says what no longer counts. Waits for its turn. Throws `INVOCATION_NOT_FOUND` and `SESSION_NOT_FOUND`.
   */
  async rewind({ userId, sessionId, rewindBeforeInvocationId }: RewindRequest): Promise<void> {
    const session = { appName: this.app.name, userId, id: sessionId };
    const run = await this.#startInTurn({ session, request: {} }, createRunConfig(this.#options.runConfig));
    await rewindSession(run, rewindBeforeInvocationId);
  }

  /** Asks for a run's end: at once when it is executed here, else at its next write. Throws `RUN_NOT_FOUND`. */
  async cancel(runId: string): Promise<RunRecord> {
    const record = await this.journal.cancel(runId);
    this.#turns.cancel(runId);
    return record;
  }

  /** A run's events for one reader, whose leaving ends the run. It starts with the first read. */
  async *#follow(
    start: () => Promise<StartedRun>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Event, void, undefined> {
    const run = await start();
    const cancel = (): void =>
      run.abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled by its caller."));
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) cancel();
    const execution = this.executeRun(run);
    let step = await execution.next();
    try {
      for (; step.done !== true; step = await execution.next()) for (const { event } of step.value) yield event;
      throwFailure(step.value);
    } finally {
      signal?.removeEventListener("abort", cancel);
      if (step.done !== true) {
        cancel();
        while ((await execution.next()).done !== true);
      }
    }
  }

  /** Records a run and takes its session, or its place in line. Throws `INVALID_MESSAGE` and what `RunJournal.begin` throws. */
  async beginRun(begin: BeginRequest, runConfig: RunConfig = this.#runConfigFor(begin.request)): Promise<BeginOutcome> {
    if (begin.request.newMessage !== undefined) checkMessage(begin.request.newMessage);
    const cached = this.#cache.take(begin.session);
    const invocationId = begin.request.invocationId ?? (await this.#answeredInvocation(begin, cached));
    const result = await this.journal.begin({
      runId: begin.runId ?? this.#ids.next(),
      session: begin.session,
      invocationId: invocationId ?? `e-${this.#ids.next()}`,
      request: begin.request,
      policy: begin.policy ?? "enqueue",
      holder: this.#holder,
      leaseMs: this.#leaseMs,
      haveRevision: cached?.session.revision ?? 0,
      fromLoadBound: true,
      ...(this.#options.abandonAfterMs !== undefined && { abandonAfterMs: this.#options.abandonAfterMs }),
      ...(cached !== undefined && { haveIncarnation: cached.incarnation }),
      ...(begin.deadline !== undefined && { deadline: begin.deadline }),
      ...(begin.idempotencyKey !== undefined && { idempotencyKey: begin.idempotencyKey }),
      ...(begin.maxQueued !== undefined && { maxQueued: begin.maxQueued }),
    });
    if (result.kind === "started") {
      const current = updateCached(cached, begin.session, result.snapshot);
      const from = firstNeeded(result.run, current);
      if (from < current.history.places.from) await widenHistory(current, this.sessionService, from);
      return { kind: "started", run: this.#createRun(result, current, runConfig) };
    }
    if (cached !== undefined) this.#cache.put(cached);
    return result.kind === "queued"
      ? { kind: "queued", record: result.run, behind: result.behind }
      : { kind: "existing", record: result.run };
  }

  /** Executes a run that `beginRun` started; see `executeRun`. */
  executeRun(run: StartedRun): AsyncGenerator<readonly RunEmission[], RunRecord | undefined, undefined> {
    return executeRun(run);
  }

  /** Resolves once the run ahead has ended, as far as this process can tell; then ask `beginRun` again. */
  async waitBehind(runId: string): Promise<void> {
    if (!(await this.#turns.ended(runId))) await pause(QUEUE_POLL_MS);
  }

  /** Closes the agents' tools and the plugins. Throws the first failure after all were closed. */
  async close(): Promise<void> {
    const [agents, plugins] = await Promise.allSettled([this.app.rootAgent.close(), this.pluginManager.close()]);
    if (agents.status === "rejected") throw agents.reason;
    if (plugins.status === "rejected") throw plugins.reason;
    for (const error of plugins.value) throw error;
  }

  #startRun({ newMessage, stateDelta, userId, sessionId, ...request }: RunAsyncRequest): Promise<StartedRun> {
    const runConfig = createRunConfig({ ...this.#options.runConfig, ...request.runConfig });
    return this.#startInTurn(
      {
        session: { appName: this.app.name, userId, id: sessionId },
        request: {
          ...(newMessage !== undefined && { newMessage }),
          ...(stateDelta !== undefined && { stateDelta }),
          streaming: runConfig.streamingMode !== StreamingMode.NONE,
          autoCreateSession: runConfig.autoCreateSession,
        },
      },
      runConfig,
    );
  }

  async #startLiveRun({ userId, sessionId, liveRequestQueue, ...request }: RunLiveRequest): Promise<StartedRun> {
    const runConfig = createLiveRunConfig({ ...this.#options.runConfig, ...request.runConfig });
    const run = await this.#startInTurn(
      {
        session: { appName: this.app.name, userId, id: sessionId },
        request: { streaming: true, autoCreateSession: runConfig.autoCreateSession },
      },
      runConfig,
    );
    return { ...run, liveRequestQueue };
  }

  async #startInTurn(begin: BeginRequest, runConfig: RunConfig): Promise<StartedRun> {
    const runId = begin.runId ?? this.#ids.next();
    for (;;) {
      const outcome = await this.beginRun({ ...begin, runId }, runConfig);
      if (outcome.kind === "started") return outcome.run;
      if (outcome.kind === "existing")
        throw new PlatformError("RUN_ALREADY_FINISHED", `Run ${runId} was ended while it waited for its turn.`);
      await this.waitBehind(outcome.behind);
    }
  }

  #answeredInvocation(begin: BeginRequest, cached: CachedSession | undefined): Promise<string | undefined> {
    const { sessionService } = this;
    return answeredInvocation(begin.request.newMessage, { key: begin.session, cached, sessionService });
  }

  #createRun(
    result: Extract<BeginRunResult, { kind: "started" }>,
    cached: CachedSession,
    runConfig: RunConfig,
  ): StartedRun {
    const { artifactService, memoryService, captureContent = false, onLease } = this.#options;
    const abort = new AbortController();
    const cancel = (): void => abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled on request."));
    const writer = new EventWriter({
      journal: this.journal,
      lease: result.lease,
      leaseMs: this.#leaseMs,
      cached,
      artifactService,
      overlap: this.app.eventsCompaction?.overlapSize,
      monotonic: () => this.#clock.monotonic(),
      onCancelRequested: cancel,
      onStoreLost: (error) => abort.abort(error),
    });
    // Asked for while nobody had the run.
    if (result.run.cancelRequested) cancel();
    const trace = new RunTrace(this.#clock, this.#ids, this.#options.traceParent?.());
    const leaveTurn = this.#turns.enter(result.run.runId, cancel);
    return {
      record: result.run,
      app: this.app,
      runConfig,
      cached,
      abort,
      writer,
      trace,
      callbackContextData: new Map(),
      journal: this.journal,
      sessionService: this.sessionService,
      leaseMs: this.#leaseMs,
      ...(onLease !== undefined && { onLease }),
      release: () => {
        if (writer.isCacheable) this.#cache.put(cached);
        leaveTurn();
        this.#options.onSpans?.(result.run.session, trace.drain());
      },
      services: {
        ...(artifactService !== undefined && { artifactService }),
        ...(memoryService !== undefined && { memoryService }),
        pluginManager: this.pluginManager,
        clock: this.#clock,
        ids: this.#ids,
        logger: this.#logger,
        captureContent: captureContent && runConfig.captureContent !== false,
      },
    };
  }

  #runConfigFor(request: RunRequest): RunConfig {
    return createRunConfig({
      ...this.#options.runConfig,
      streamingMode: request.streaming === true ? StreamingMode.SSE : StreamingMode.NONE,
      ...(request.customMetadata !== undefined && { customMetadata: request.customMetadata }),
    });
  }
}

function storesOf(
  options: RunnerOptions,
  clock: Clock,
  ids: IdGenerator,
): { sessionService: SessionService; journal: RunJournal } {
  const { journal, sessionService } = options;
  if (journal !== undefined && sessionService !== undefined) return { journal, sessionService };
  if (journal !== undefined || sessionService !== undefined) {
    throw new PlatformError("SERVICE_MISSING", "Pass both sessionService and journal to the runner, or neither.");
  }
  const store = new InMemorySessionStore({ clock, ids });
  return { sessionService: store, journal: store };
}

function throwFailure(record: RunRecord | undefined): void {
  if (record === undefined)
    throw new PlatformError(
      "LEASE_LOST",
      "The run was given up here: another runner took it over, its session was deleted, or the store was away for too long.",
    );
  if (record.error === undefined) return;
  if (record.error.reason === "SESSION_NOT_FOUND") throw new SessionNotFoundError(record.session);
  throw new PlatformError("RUN_FAILED", record.error.message, {
    details: { runId: record.runId, reason: record.error.reason },
  });
}
