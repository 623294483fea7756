import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunStream } from "#kit/runner/run-stream.ts";
import type { Runner } from "#kit/runner/runner.ts";
import type { StartedRun } from "#kit/runner/started-run.ts";
import { isTerminal, type RunError, type RunRecord } from "#kit/sessions/run-record.ts";
import type { RunnerDeps } from "./deps.ts";
import { Pacer } from "./pacer.ts";
import { RunPublisher } from "./run-publisher.ts";

// setTimeout turns a longer wait into none.
const MAX_TIMER_MS = 2 ** 31 - 1;

const STORE_LOST: RunError = {
  code: "UNAVAILABLE",
  reason: "STORE_UNAVAILABLE",
  message: "The run's end could not be stored.",
};
const SESSION_GONE: RunError = {
  code: "NOT_FOUND",
  reason: "SESSION_NOT_FOUND",
  message: "The session was deleted while the run was under way.",
};

type ExecutorDeps = Pick<
  RunnerDeps,
  "runJournal" | "runStream" | "spanSinks" | "observer" | "clock" | "logger" | "holder"
>;

/** Takes started runs to their end: what they emit goes to the stream, their spans to the sinks. */
export class RunExecutor {
  readonly #deps: ExecutorDeps;

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
  }

  /** Never throws. */
  async execute(runner: Runner, run: StartedRun): Promise<void> {
    const { observer, clock, logger, runStream } = this.#deps;
    const { record } = run;
    const startedAt = clock.monotonic();
    const appName = record.session.appName;
    observer?.runStarted(appName);
    const publisher = new RunPublisher({
      run: record,
      runStream,
      onError: (error) => logger.warn({ error, runId: record.runId }, "run stream not written"),
    });
    const clearDeadline = this.#watchDeadline(run);
    let finished: RunRecord | undefined;
    try {
      finished = await this.#relay(runner.executeRun(run), publisher);
    } catch (error) {
      logger.error({ error, runId: record.runId, sessionId: record.session.id }, "run broke off");
    }
    clearDeadline();
    const published = finished === undefined ? this.#endUnfinished(run, publisher) : endAs(publisher, finished);
    const spans = run.trace.drain();
    for (const sink of this.#deps.spanSinks) sink(record.session, spans);
    observer?.runEnded({ appName, record: finished, durationMs: clock.monotonic() - startedAt, spans });
    await published;
  }

  /** Tells readers how a run ended that never began here. */
  async announceEnd(record: RunRecord): Promise<void> {
    const { logger } = this.#deps;
    const onError = (error: unknown): void => logger.warn({ error, runId: record.runId }, "run stream not written");
    const { runStream }: { runStream: RunStream } = this.#deps;
    await endAs(new RunPublisher({ run: record, runStream, onError }), record);
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

  #watchDeadline({ record, abort }: StartedRun): () => void {
    if (record.deadline === undefined) return () => {};
    const end = (): void => abort.abort(new PlatformError("RUN_TIMED_OUT", "The run took longer than its limit."));
    const remainingMs = record.deadline - this.#deps.clock.now();
    if (remainingMs <= 0) end();
    const timer = setTimeout(end, Math.min(Math.max(remainingMs, 0), MAX_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  }

  /** A run whose end this runner could not write: somebody else has it, its session is gone, or the store fails. */
  async #endUnfinished({ record }: StartedRun, publisher: RunPublisher): Promise<void> {
    const { runJournal, holder, logger } = this.#deps;
    try {
      const now = await runJournal.get(record.runId);
      if (now === undefined) return await publisher.end("failed", SESSION_GONE);
      if (isTerminal(now.status)) return await endAs(publisher, now);
      if (now.holder !== holder || now.epoch !== record.epoch) return;
    } catch (error) {
      logger.error({ error, runId: record.runId }, "the record of a broken run cannot be read");
    }
    await publisher.end("failed", STORE_LOST);
  }
}

async function endAs(publisher: RunPublisher, { status, error }: RunRecord): Promise<void> {
  if (isTerminal(status)) await publisher.end(status, error);
}
