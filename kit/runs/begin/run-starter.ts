import { RunMeter } from "#kit/budget/run-meter.ts";
import type { InvocationServices } from "#kit/core/context/invocation-context.ts";
import { createRunConfig, type RunConfig, StreamingMode } from "#kit/core/context/run-config.ts";
import type { PluginManager } from "#kit/core/plugin-manager.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { type EventRecord, toEventRecord } from "#kit/events/event-record.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import { EventWriter } from "#kit/runs/base/event-writer.ts";
import { createLiveRunConfig } from "#kit/runs/base/live-run-config.ts";
import type { BeginOutcome, BeginRequest } from "#kit/runs/base/runner-options.ts";
import type { RunsOfThisRunner } from "#kit/runs/base/runs-of-this-runner.ts";
import { type CachedSession, updateCached } from "#kit/runs/base/session-cache.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { withoutAuthResponses } from "#kit/sessions/auth-responses.ts";
import type { BeginRunRequest, BeginRunResult } from "#kit/sessions/run-journal.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { RunTrace } from "#kit/telemetry/run-trace.ts";
import { answeredInvocation } from "./answered-invocation.ts";
import { FileUriCheck } from "./check-file-uris.ts";
import { checkMessage } from "./check-message.ts";
import type { CompleteRunnerOptions } from "./complete-runner-options.ts";
import { keepAuthResponses } from "./keep-auth-responses.ts";
import { createOpening, hasKnownOpening } from "./user-event.ts";
import { firstNeeded, widenHistory } from "./widen-history.ts";

interface RunStarterOptions extends CompleteRunnerOptions {
  readonly pluginManager: PluginManager;
  readonly turns: RunsOfThisRunner;
}

/** A run's first event, and its record. */
interface Opening {
  readonly event: Event;
  readonly record: EventRecord;
}

/** The data of a run's turn that is known before the run starts. */
interface PreparedTurn {
  readonly invocationId: string;
  readonly opening: Opening | undefined;
  readonly cached: CachedSession | undefined;
}

type StartedResult = Extract<BeginRunResult, { kind: "started" }>;

/**
 * Begins runs: asks the journal for the session's lease, brings the cached session up to date, and creates everything
 * that the execution needs. Nothing is kept for a run that is queued or exists already: the caller begins it again
 * later.
 */
export class RunStarter {
  readonly #options: RunStarterOptions;
  readonly #fileUris: FileUriCheck;

  constructor(options: RunStarterOptions) {
    this.#options = options;
    this.#fileUris = new FileUriCheck(options.fileUriHosts);
  }

  /**
   * Records a run and acquires its session's lease, or queues the run. A run that has started may not be durable yet
   * (`durable`). Throws `INVALID_MESSAGE`, `FUNCTION_CALL_UNKNOWN` and what `RunJournal.begin` throws.
   */
  async begin(given: BeginRequest, runConfig = this.#runConfigFor(given.request)): Promise<BeginOutcome> {
    const { journal, sessionCache, sessionService, credentialService } = this.#options;
    const { session } = given;
    const { newMessage } = given.request;
    if (newMessage !== undefined) {
      checkMessage(newMessage);
      this.#fileUris.check(newMessage);
    }
    const cached = sessionCache.take(session);
    let begin = given;
    let result: BeginRunResult | undefined;
    let opening: Opening | undefined;
    try {
      let answeredId: string | undefined;
      // A run that has a record has passed this block before.
      if (given.invocationId === undefined && newMessage !== undefined) {
        const createsSession = given.request.autoCreateSession;
        const place = { key: session, cached, sessionService, createsSession };
        const answered = await answeredInvocation(newMessage, place);
        // Credentials are removed from the message before any part of it is stored.
        await keepAuthResponses(newMessage, { calls: answered.calls, session, credentialService });
        answeredId = answered.id;
      }
      begin = { ...given, request: withoutAuthResponses(given.request) };
      const invocationId =
        given.invocationId ?? given.request.invocationId ?? answeredId ?? `e-${this.#options.ids.next()}`;
      opening = this.#openingOf(begin, runConfig, invocationId);
      result = await journal.begin(this.#toJournal(begin, { invocationId, opening, cached }));
    } finally {
      // No run began, so the cached session is kept for the next begin.
      if (cached !== undefined && result?.kind !== "started") sessionCache.put(cached);
    }
    if (result.kind === "queued") return { kind: "queued", record: result.run, behind: result.behind };
    if (result.kind === "existing") return { kind: "existing", record: result.run };
    const current = updateCached(cached, session, result.snapshot);
    const from = firstNeeded(result.run, current);
    if (from < current.history.historyStart.from) await widenHistory(current, sessionService, from);
    const { movesFrom: movedFrom } = given;
    return { kind: "started", run: this.#createRun(result, current, { runConfig, opening, movedFrom }) };
  }

  /** The run's first event, if it is known already, so that it is stored in the commit that starts the run. */
  #openingOf({ request, policy }: BeginRequest, runConfig: RunConfig, invocationId: string): Opening | undefined {
    const { pluginManager, artifactService, ids, clock } = this.#options;
    const movesData = artifactService !== undefined;
    if (!hasKnownOpening(request, { policy, runConfig, pluginManager, movesData })) return undefined;
    const event = createOpening(request, { id: ids.next(), invocationId, timestamp: clock.now() });
    return { event, record: toEventRecord(event) };
  }

  #runConfigFor(request: RunRequest): RunConfig {
    if (request.live !== undefined) return createLiveRunConfig({ ...this.#options.runConfig, ...request.live });
    return createRunConfig({
      ...this.#options.runConfig,
      streamingMode: request.streaming === true ? StreamingMode.SSE : StreamingMode.NONE,
      ...(request.customMetadata !== undefined && { customMetadata: request.customMetadata }),
    });
  }

  #toJournal(begin: BeginRequest, { invocationId, opening, cached }: PreparedTurn): BeginRunRequest {
    const { ids, holder, leaseMs, abandonAfterMs } = this.#options;
    return {
      runId: begin.runId ?? ids.next(),
      session: begin.session,
      invocationId,
      request: begin.request,
      policy: begin.policy ?? "enqueue",
      holder,
      leaseMs,
      haveRevision: cached?.session.revision ?? 0,
      fromHistoryStart: true,
      returnOnCommit: true,
      abandonAfterMs,
      haveIncarnation: cached?.incarnation,
      opening: opening?.record,
      deadline: begin.deadline,
      idempotencyKey: begin.idempotencyKey,
      streamKey: begin.streamKey,
      maxQueued: begin.maxQueued,
      agentRevision: begin.agentRevision,
      movesFrom: begin.movesFrom,
      leftFor: begin.leftFor,
    };
  }

  #createRun(
    result: StartedResult,
    cached: CachedSession,
    { runConfig, opening, movedFrom }: Pick<StartedRun, "runConfig" | "movedFrom"> & { opening: Opening | undefined },
  ): StartedRun {
    const { app, journal, sessionService, sessionCache, clock, ids, leaseMs, onLease, onSpans } = this.#options;
    const { runId, session, cancelRequested } = result.run;
    const abort = new AbortController();
    const cancel = (): void => abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled on request."));
    const writer = new EventWriter({
      journal,
      lease: result.lease,
      leaseMs,
      cached,
      artifactService: this.#options.artifactService,
      limits: runConfig,
      overlap: app.eventsCompaction?.overlapSize,
      monotonic: () => clock.monotonic(),
      durable: result.durable,
      onCancelRequested: cancel,
      onStoreLost: (error) => abort.abort(error),
    });
    const opened = result.opened ? opening : undefined;
    if (opened !== undefined) writer.open(opened.event, opened.record);
    // The cancellation was requested while no runner had the run.
    if (cancelRequested) cancel();
    const exposure = { errorDetail: this.#options.errorDetail, place: `run ${runId}` };
    const trace = new RunTrace(clock, ids, { parent: this.#options.traceParent?.(), exposure });
    const budget = this.#options.modelBudget?.ofRun(result.run);
    const meter = budget && new RunMeter({ budget, end: (refusal) => abort.abort(refusal) });
    const endTurn = this.#options.turns.enter(tenantKey(runId, result.run.session.tenantId), cancel);
    return {
      record: result.run,
      app,
      runConfig,
      cached,
      abort,
      writer,
      trace,
      ending: {},
      callbackContextData: new Map(),
      journal,
      sessionService,
      leaseMs,
      opening: opened?.event,
      movedFrom,
      durable: result.durable,
      onLease,
      release: () => {
        if (writer.isCacheable) sessionCache.put(cached);
        endTurn();
        onSpans?.(session, trace.drain());
      },
      meter,
      services: this.#servicesFor(runConfig, meter),
    };
  }

  #servicesFor(runConfig: RunConfig, meter: RunMeter | undefined): InvocationServices {
    const {
      artifactService,
      memoryService,
      credentialService,
      outbound,
      pluginManager,
      clock,
      ids,
      logger,
      captureContent,
      modelProperties,
      errorDetail,
    } = this.#options;
    return {
      artifactService,
      memoryService,
      credentialService,
      outbound,
      pluginManager,
      clock,
      ids,
      logger,
      meterModel: meter?.model,
      modelProperties,
      captureContent: captureContent && runConfig.captureContent !== false,
      errorDetail,
    };
  }
}
