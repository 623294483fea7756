import type { PlatformError } from "#kit/errors/platform-error.ts";
import { type ErrorExposure, shownMessage } from "#kit/errors/shown-error.ts";
import type { RunError, TerminalRunStatus } from "#kit/sessions/run-record.ts";

/** How a run ends. */
export interface RunOutcome {
  readonly status: TerminalRunStatus;
  readonly error?: RunError;
}

interface OutcomeFacts {
  readonly awaitsInput?: boolean;
  /** The newest error that an event of the run reports. */
  readonly reported?: RunError | undefined;
  readonly exposure: ErrorExposure;
}

export function outcomeOf(
  failure: PlatformError | undefined,
  { awaitsInput = false, reported, exposure }: OutcomeFacts,
): RunOutcome {
  if (failure === undefined) return { status: awaitsInput ? "awaiting_input" : "succeeded", error: reported };
  const { code, reason } = failure;
  return { status: statusOf(reason), error: { code, reason, message: shownMessage(failure, exposure) } };
}

/**
 * Whether another runner holds the run, or its session is deleted. In both cases this runner must not write to it
 * again.
 */
export function isLost({ reason }: PlatformError): boolean {
  return reason === "LEASE_LOST" || reason === "SESSION_NOT_FOUND";
}

/** Whether the runner hands the run over to another one: the run has not ended. */
export function isHandedOver(failure: PlatformError | undefined): boolean {
  return failure?.reason === "RUN_HANDED_OVER";
}

function statusOf(reason: PlatformError["reason"]): TerminalRunStatus {
  switch (reason) {
    case "RUN_CANCELLED":
      return "cancelled";
    case "RUN_INTERRUPTED":
      return "interrupted";
    case "RUN_TIMED_OUT":
      return "timed_out";
    default:
      return "failed";
  }
}
