import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { CallScope } from "#shared/security/call-scope.ts";
import type { RunnerConfig } from "../config.ts";
import type { TakeUpKind } from "../metrics/run-observer.ts";

/** Calls that a run makes which nobody asks for any more are made for its user, in the trace of the request it came with. */
export function resumptionScope({ session, request: { traceParent } }: RunRecord): CallScope {
  const { appName, userId } = session;
  return { principal: { appName, userId, scopes: [] }, ...(traceParent !== undefined && { traceParent }) };
}

/** `run` is as it was taken up, this attempt included. */
export function takeUpKind(run: RunRecord, { MAX_RUN_ATTEMPTS }: RunnerConfig): TakeUpKind {
  const { attempts, handovers = 0 } = run;
  if (attempts - handovers > MAX_RUN_ATTEMPTS) return "exhausted";
  if (attempts === 1) return "started";
  return attempts - handovers === 1 ? "handed-over" : "resumed";
}

/** A run that has lost its runner too often is only taken up to be ended; where runs are not to go on, the first time is too often. */
export function abortIfNotToGoOn({ abort, record }: StartedRun, config: RunnerConfig): void {
  const kind = takeUpKind(record, config);
  if (kind === "exhausted") abort.abort(exhausted(config.MAX_RUN_ATTEMPTS));
  else if (kind === "resumed" && config.ON_ABANDONED_RUN === "interrupt") abort.abort(lost());
  else if (kind !== "started" && !saysWhatToDo(record)) abort.abort(lost());
}

/** What a live run is told, and a rewind does, is with the process that was lost. */
function saysWhatToDo({ request: { newMessage, invocationId } }: RunRecord): boolean {
  return newMessage !== undefined || invocationId !== undefined;
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
