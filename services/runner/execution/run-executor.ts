import { PlatformError } from "#kit/errors/platform-error.ts";
import { changesPast, type Event, isOfClient, USER_AUTHOR } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunEmission } from "#kit/runs/base/event-writer.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { storedEvents } from "#kit/runs/begin/choose-turn.ts";
import type { Runner } from "#kit/runs/runner.ts";
import { isTerminal, type RunError, type RunRecord } from "#kit/sessions/run-record.ts";
import { streamName } from "#ports/runs/stream-name.ts";
import type { RunnerDeps } from "../deps.ts";
import { forgetLiveHandle } from "../live/forget-live-handle.ts";
import type { LiveClients } from "../live/live-clients.ts";
import { OutageLog } from "./outage-log.ts";
import { Pacer } from "./pacer.ts";
import { abortUnlessRecoverable } from "./recovered-run.ts";
import { RunPublisher } from "./run-publisher.ts";

// setTimeout turns a longer wait into none.
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Deadline for reading the stream of earlier attempts; an unreadable stream must not delay the run. */
const MAX_LOOK_BACK_MS = 2000;

const OUTAGE = { begins: "run stream not written", ends: "run streams are written again" };

const SESSION_DELETED: RunError = {
  code: "NOT_FOUND",
  reason: "SESSION_NOT_FOUND",
  message: "The session was deleted while the run was active.",
};

type ExecutorDeps = Pick<
  RunnerDeps,
  | "runJournal"
  | "runStream"
  | "runNotifications"
  | "spanSinks"
  | "observer"
  | "clock"
  | "logger"
  | "config"
  | "credentialService"
> & { readonly liveClients: LiveClients };

/** Executes started runs to their end: publishes their events to the run stream and passes their spans to the sinks. */
export class RunExecutor {
  readonly #deps: ExecutorDeps;
  /** While the stream is unavailable, each publication fails; only the outage's start and end are logged. */
  readonly #outage: OutageLog;
  readonly #onWritten = (): void => this.#outage.worked();

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
    const { clock, logger } = deps;
    this.#outage = new OutageLog({ clock, logger, messages: OUTAGE });
  }

  /** Resolves when the run has ended here and its end is published. Never throws. */
  async execute(runner: Runner, started: StartedRun): Promise<void> {
    const { observer, clock, config, logger, runNotifications, liveClients } = this.#deps;
    const { record } = started;
    const run = record.request.live === undefined ? started : liveClients.connect(started);
    if (record.attempts > 1) abortUnlessRecoverable(run, config, clock.now());
    const startedAt = clock.monotonic();
    const appName = record.session.appName;
    observer?.runStarted(appName);
    const publisher = this.#publisherOf(record, liveClients.receiverOf(record));
    const clearDeadline = this.#watchDeadline(run);
    if (record.attempts > 1) await this.#publishPast(run, publisher);
    let finished: RunRecord | undefined;
    try {
      finished = await this.#relay(runner.executeRun(run), publisher);
    } catch (error) {
      logger.error(
        { error, runId: record.runId, sessionId: record.session.id, ...inTenant(record.session.tenantId) },
        "run broke off",
      );
    }
    clearDeadline();
    const published = finished === undefined ? this.#endUnfinished(run, publisher) : endAs(publisher, finished);
    const spans = run.trace.drain();
    for (const sink of this.#deps.spanSinks) sink(record.session, spans);
    const durationMs = clock.monotonic() - startedAt;
    observer?.runEnded({ appName, record: finished, durationMs, spans });
    const { runId, session, attempts } = record;
    const status = finished?.status ?? "lost";
    logger.debug(
      { runId, appName, sessionId: session.id, ...inTenant(session.tenantId), attempts, status, durationMs },
      "run ended",
    );
    await published;
    if (record.request.live !== undefined) {
      liveClients.forget(record);
      // A run that was recovered only to be ended has not reached its agent, which deletes its handle.
      if (record.attempts > 1 && finished !== undefined && isTerminal(finished.status))
        await forgetLiveHandle(this.#deps, record);
    }
    // Handed over: other runners need not wait for their next scan.
    if (status === "pending") runNotifications?.notify({ kind: "available", runId, ...inTenant(session.tenantId) });
  }

  /** Publishes the end of a run that never began here. */
  async announceEnd(record: RunRecord): Promise<void> {
    await endAs(this.#publisherOf(record), record);
  }

  #publisherOf(run: RunRecord, direct?: ReturnType<LiveClients["receiverOf"]>): RunPublisher {
    const { runStream } = this.#deps;
    const { runId } = run;
    const onError = (error: unknown): void => this.#outage.failed(error, { runId });
    return new RunPublisher({ run, runStream, onError, onWritten: this.#onWritten, direct });
  }

  async #relay(execution: ReturnType<Runner["executeRun"]>, publisher: RunPublisher): Promise<RunRecord | undefined> {
    const pacer = new Pacer(this.#deps.clock);
    for (;;) {
      const { done, value } = await execution.next();
      if (done === true) return value;
      publisher.emit(value);
      const pause = pacer.step(value.length);
      if (pause !== undefined) await pause;
    }
  }

  /**
   * Publishes the events that an earlier holder stored but did not publish. Events before this attempt's marker in the
   * stream were published, and readers that resubscribe with a cursor get them from there.
   */
  async #publishPast(run: StartedRun, publisher: RunPublisher): Promise<void> {
    const past = pastEmissions(run);
    if (past.length === 0) return;
    await publisher.flush();
    const published = await this.#newestPublished(run.record);
    publisher.emit(past.filter(({ stored }) => (stored?.sequence ?? 0) > published));
  }

  async #newestPublished(run: RunRecord): Promise<number> {
    const { runId, epoch } = run;
    let newest = 0;
    try {
      const signal = AbortSignal.timeout(MAX_LOOK_BACK_MS);
      const batches = this.#deps.runStream.subscribe(runId, { ...streamName(run), signal });
      for await (const batch of batches) {
        for (const entry of batch) {
          if (entry.kind === "resync") continue;
          if (entry.epoch >= epoch) return newest;
          if (entry.kind === "event" && entry.sequence !== undefined) newest = Math.max(newest, entry.sequence);
        }
      }
    } catch (error) {
      this.#deps.logger.warn({ error, runId }, "run stream not read");
    }
    return newest;
  }

  #watchDeadline({ record, abort }: StartedRun): () => void {
    if (record.deadline === undefined) return () => {};
    const end = (): void => abort.abort(new PlatformError("RUN_TIMED_OUT", "The run took longer than its limit."));
    const remainingMs = record.deadline - this.#deps.clock.now();
    if (remainingMs <= 0) end();
    const timer = setTimeout(end, Math.min(Math.max(remainingMs, 0), MAX_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  }

  /**
   * Handles a run whose end this runner could not store. If the record has no end, another runner has recovered the run
   * or will, and continues its stream; so only an end that is in the record is published.
   */
  async #endUnfinished({ record }: StartedRun, publisher: RunPublisher): Promise<void> {
    const { runJournal, logger } = this.#deps;
    try {
      const now = await runJournal.get(record.runId, record.session.tenantId);
      if (now === undefined) return await publisher.end("failed", SESSION_DELETED);
      // Events that were stored together with the end were not emitted.
      publisher.leaveGap();
      await endAs(publisher, now);
    } catch (error) {
      logger.error({ error, runId: record.runId }, "the record of a failed run cannot be read");
    }
  }
}

/** The publishable events of the run that earlier holders stored. */
function pastEmissions(run: StartedRun): readonly RunEmission[] {
  const { events, revision } = run.cached.session;
  const past = new Set(storedEvents(run).filter((event) => !isUnpublished(run, event) && !changesPast(event)));
  const emissions: RunEmission[] = [];
  for (const [index, event] of events.entries()) {
    if (!past.has(event)) continue;
    const stored = { ...toEventRecord(event), sequence: revision - (events.length - 1 - index) };
    emissions.push({ event, stored });
  }
  return emissions;
}

/** Clients have their own messages. */
function isUnpublished({ record }: StartedRun, event: Event): boolean {
  return record.request.live === undefined ? event.author === USER_AUTHOR : isOfClient(event);
}

async function endAs(publisher: RunPublisher, { status, error, finishedTime }: RunRecord): Promise<void> {
  if (isTerminal(status)) await publisher.end(status, error, finishedTime);
}
