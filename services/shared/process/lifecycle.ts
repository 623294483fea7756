import type { Logger } from "#kit/platform/logger.ts";
import type { Sleep } from "#kit/platform/sleep.ts";

/** What a process does, in this order, when it is told to end. */
export interface ShutdownSteps {
  /** Fails readiness, so that no new traffic is routed here. */
  readonly stopBeingReady: () => void;
  /** How long endpoints take to notice; what arrives meanwhile is still served. */
  readonly graceMs: number;
  /** Accepts nothing new; resolves when all that was accepted has ended. */
  readonly stopAccepting: () => Promise<void>;
  /** How long what is under way may take to end by itself. */
  readonly drainMs: number;
  /** Ends what is still under way, in good order: each piece of work stores how it ended. */
  readonly abortStragglers: () => Promise<void>;
  /** How long the aborted ones may take to end. */
  readonly abortMs: number;
  /** Sends what telemetry has collected. */
  readonly flushTelemetry: () => Promise<void>;
  /** Closes stores and connections. */
  readonly dispose: () => Promise<void>;
}

export interface ShutdownContext {
  readonly sleep: Sleep;
  readonly logger: Logger;
}

/** Takes the steps and gives the exit code: 0 when each went well. A step that fails does not stop the next. */
export async function shutDown(steps: ShutdownSteps, { sleep, logger }: ShutdownContext): Promise<number> {
  let exitCode = 0;
  const attempt = async (step: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      exitCode = 1;
      logger.error({ error, step }, "shutdown step failed");
    }
  };

  // Readiness fails first so that traffic goes elsewhere; endpoints lag by a few seconds, and a stream that is opened in
  // that window must still be served. Only then stop accepting.
  steps.stopBeingReady();
  if (steps.graceMs > 0) await sleep(steps.graceMs);
  const drained = attempt("stop accepting", steps.stopAccepting).then(() => true);
  if (!(await within(steps.drainMs, drained, sleep))) {
    await attempt("abort stragglers", steps.abortStragglers);
    if (!(await within(steps.abortMs, drained, sleep))) {
      exitCode = 1;
      logger.warn({}, "work that did not end was left behind");
    }
  }
  await attempt("flush telemetry", steps.flushTelemetry);
  await attempt("dispose", steps.dispose);
  return exitCode;
}

async function within(milliseconds: number, done: Promise<boolean>, sleep: Sleep): Promise<boolean> {
  const timeout = new AbortController();
  const late = sleep(milliseconds, timeout.signal).then(
    () => false,
    () => true,
  );
  const result = await Promise.race([done, late]);
  timeout.abort();
  return result;
}

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;
type TerminationSignal = keyof typeof SIGNAL_NUMBERS;

/** The part of `process` that signals need. */
export interface SignalTarget {
  on(signal: TerminationSignal, listener: () => void): unknown;
  exit(code: number): void;
}

/** Runs the shutdown on the first SIGTERM or SIGINT and exits with its code; a second signal exits at once. */
export function onTermination(target: SignalTarget, shutdown: (signal: TerminationSignal) => Promise<number>): void {
  let ending = false;
  const listen = (signal: TerminationSignal): void => {
    target.on(signal, () => {
      if (ending) return target.exit(128 + SIGNAL_NUMBERS[signal]);
      ending = true;
      shutdown(signal).then(
        (code) => target.exit(code),
        () => target.exit(1),
      );
    });
  };
  listen("SIGTERM");
  listen("SIGINT");
}
