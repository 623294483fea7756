import type { Logger } from "#kit/platform/logger.ts";
import type { Sleep } from "#kit/platform/sleep.ts";

/** The steps in which a process ends, in this order. */
export interface ShutdownSteps {
  /** Fails readiness, so that no new traffic is routed here. */
  readonly stopBeingReady: () => void;
  /** Time that load balancers need to notice; requests that arrive meanwhile are still served. */
  readonly graceMs: number;
  /** Accepts no new requests; resolves when all accepted ones have ended. */
  readonly stopAccepting: () => Promise<void>;
  /** Longest time for active work to end by itself. */
  readonly drainMs: number;
  /** Aborts the work that is still active; each run stores its end. */
  readonly abortStragglers: () => Promise<void>;
  /** Longest time for aborted work to end. */
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

/** Performs the steps and returns the exit code: 0 if each succeeded. A failed step does not prevent the next. */
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

  // Readiness fails first so that new traffic is routed elsewhere. Endpoints lag by a few seconds, and a stream that is
  // opened in that time must still be served. Only then the server stops accepting.
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

/** Runs the shutdown on the first SIGTERM or SIGINT and exits with its code; a second signal exits immediately. */
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
