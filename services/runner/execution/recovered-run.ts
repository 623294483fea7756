import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { CallScope } from "#shared/security/call-scope.ts";
import type { RunnerConfig } from "../config.ts";
import type { RecoveryKind } from "../metrics/run-observer.ts";

/**
 * The call scope of a recovered run. No request waits for it: it has the trace of its first request, no principal, and
 * gets a grant when it begins.
 */
export function resumptionScope({ request: { traceParent } }: RunRecord): CallScope {
  return { credentials: {}, traceParent };
}

/** A live run that has lasted so long may lose one more runner: conversations last for hours. */
const LIVE_MS_PER_ATTEMPT = 10 * 60_000;

/** Classifies a recovered run. The record's `attempts` include this recovery. `now`: the time of the recovery. */
export function recoveryKind(
  run: Pick<RunRecord, "attempts" | "handovers" | "createdTime"> & { readonly request: Pick<RunRequest, "live"> },
  { MAX_RUN_ATTEMPTS }: Pick<RunnerConfig, "MAX_RUN_ATTEMPTS">,
  now: number,
): RecoveryKind {
  const { attempts, handovers = 0, request, createdTime } = run;
  const earned = request.live === undefined ? 0 : Math.floor((now - createdTime) / LIVE_MS_PER_ATTEMPT);
  if (attempts - handovers > MAX_RUN_ATTEMPTS + earned) return "exhausted";
  if (attempts === 1) return "started";
  return attempts - handovers === 1 ? "handed-over" : "resumed";
}

/**
 * Aborts a recovered run that must not continue: one that has lost its runner too often, any lost run where
 * `ON_ABANDONED_RUN` is `interrupt`, and one whose input was lost with its process.
 */
export function abortUnlessRecoverable(
  { abort, record }: Pick<StartedRun, "abort" | "record">,
  config: Pick<RunnerConfig, "MAX_RUN_ATTEMPTS" | "ON_ABANDONED_RUN">,
  now: number,
): void {
  const kind = recoveryKind(record, config, now);
  if (kind === "exhausted") abort.abort(exhausted(record.attempts - (record.handovers ?? 0) - 1));
  else if (kind === "resumed" && config.ON_ABANDONED_RUN === "interrupt") abort.abort(lost());
  else if (kind !== "started" && !hasStoredInput(record)) abort.abort(lost());
}

/**
 * The client of a live run sends its input again. The input of a live run without such a client, and the work of a
 * rewind, were lost with their process.
 */
function hasStoredInput({ request: { newMessage, invocationId, live } }: RunRecord): boolean {
  return newMessage !== undefined || invocationId !== undefined || live !== undefined;
}

function exhausted(attempts: number): PlatformError {
  const times = attempts === 1 ? "time" : "times";
  return new PlatformError(
    "RUN_ATTEMPTS_EXHAUSTED",
    `The run lost its runner ${attempts} ${times} and is not executed again.`,
  );
}

function lost(): PlatformError {
  return new PlatformError("RUN_INTERRUPTED", "The process that executed the run was lost before the run ended.");
}
