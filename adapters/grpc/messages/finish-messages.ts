import { PlatformError } from "#kit/errors/platform-error.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import type { FinishRunRequest, FinishRunResult } from "#kit/sessions/run-journal.ts";
import { isTerminal } from "#kit/sessions/run-record.ts";
import type {
  FinishRunRequest__Output,
  FinishRunRequest as RequestMessage,
} from "#proto/fairlead/session/v1/FinishRunRequest.ts";
import type {
  FinishRunResponse__Output,
  FinishRunResponse as ResponseMessage,
} from "#proto/fairlead/session/v1/FinishRunResponse.ts";
import { fromHistoryStartMessage, placed, toHistoryStartMessage } from "./append-messages.ts";
import { fromEventMessage, fromStoredEventMessage, toEventMessage } from "./event-messages.ts";
import { fromJsonBytes, toJsonBytes } from "./messages.ts";
import {
  fromLeaseMessage,
  fromRunMessage,
  fromStatusMessage,
  toLeaseMessage,
  toRunMessage,
  toStatusMessage,
} from "./run-messages.ts";

/** Converts ends of runs to and from their messages, for single calls and for the pipe. */

export function toFinishMessage(request: FinishRunRequest): RequestMessage {
  const { lease, afterRevision, events, status, usage, error, historyStart } = request;
  return {
    lease: toLeaseMessage(lease),
    afterRevision,
    events: events.map(toEventMessage),
    status: toStatusMessage(status),
    usageJson: usage && toJsonBytes(usage),
    error,
    historyStart: historyStart && toHistoryStartMessage(historyStart),
  };
}

/** Throws `INVALID_FIELD` for a status that ends no run. */
export function fromFinishMessage(message: FinishRunRequest__Output): FinishRunRequest {
  const { lease, afterRevision, events, usageJson, error, historyStart } = message;
  const status = fromStatusMessage(message.status);
  if (!isTerminal(status)) {
    throw new PlatformError("INVALID_FIELD", "status must be one that ends a run.", { details: { field: "status" } });
  }
  return {
    lease: fromLeaseMessage(lease),
    afterRevision,
    events: events.map(fromEventMessage),
    status,
    usage: usageJson && fromJsonBytes<UsageMetadata>(usageJson, "The run's usage"),
    error: error ? { code: error.code, reason: error.reason, message: error.message } : undefined,
    historyStart: historyStart ? fromHistoryStartMessage(historyStart) : undefined,
  };
}

/** The caller's events are not sent back: only their sequences are. */
export function toFinishedMessage({ run, revision, stored, missed }: FinishRunResult): ResponseMessage {
  return {
    run: toRunMessage(run),
    revision,
    sequences: stored.map(({ sequence }) => sequence),
    missed: missed.map(toEventMessage),
  };
}

export function fromFinishedMessage(message: FinishRunResponse__Output, { events }: FinishRunRequest): FinishRunResult {
  return {
    run: fromRunMessage(message.run),
    revision: message.revision,
    stored: placed(events, message.sequences),
    missed: message.missed.map(fromStoredEventMessage),
  };
}
