import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { AppendEventsRequest, AppendEventsResult } from "#kit/sessions/run-journal.ts";
import type {
  AppendEventsRequest__Output,
  AppendEventsRequest as RequestMessage,
} from "#proto/fairlead/session/v1/AppendEventsRequest.ts";
import type {
  AppendEventsResponse__Output,
  AppendEventsResponse as ResponseMessage,
} from "#proto/fairlead/session/v1/AppendEventsResponse.ts";
import type {
  HistoryStart__Output,
  HistoryStart as HistoryStartMessage,
} from "#proto/fairlead/session/v1/HistoryStart.ts";
import { fromEventMessage, fromStoredEventMessage, toEventMessage } from "./event-messages.ts";
import { fromLeaseDuration } from "./lease-duration.ts";
import { toDuration } from "./messages.ts";
import { fromLeaseMessage, toLeaseMessage } from "./run-messages.ts";

/** Converts appends to and from their messages, for single calls and for the pipe. */

export function toAppendMessage(request: AppendEventsRequest): RequestMessage {
  const { lease, leaseMs, afterRevision, events, historyStart } = request;
  return {
    lease: toLeaseMessage(lease),
    leaseDuration: toDuration(leaseMs),
    afterRevision,
    events: events.map(toEventMessage),
    historyStart: historyStart && toHistoryStartMessage(historyStart),
  };
}

export function fromAppendMessage(message: AppendEventsRequest__Output): AppendEventsRequest {
  return {
    lease: fromLeaseMessage(message.lease),
    leaseMs: fromLeaseDuration(message.leaseDuration),
    afterRevision: message.afterRevision,
    events: message.events.map(fromEventMessage),
    historyStart: message.historyStart ? fromHistoryStartMessage(message.historyStart) : undefined,
  };
}

export function toHistoryStartMessage({ from, earlier }: HistoryStart): HistoryStartMessage {
  return { from, earlier: [...earlier] };
}

export function fromHistoryStartMessage({ from, earlier }: HistoryStart__Output): HistoryStart {
  return { from, earlier };
}

/** The caller's events are not sent back: only their sequences are. */
export function toAppendedMessage(result: AppendEventsResult, grant = ""): ResponseMessage {
  const { lease, revision, stored, missed, cancelRequested } = result;
  return {
    lease: toLeaseMessage(lease),
    revision,
    sequences: stored.map(({ sequence }) => sequence),
    missed: missed.map(toEventMessage),
    cancelRequested,
    grant,
  };
}

export function fromAppendedMessage(
  message: AppendEventsResponse__Output,
  request: AppendEventsRequest,
): AppendEventsResult {
  return {
    lease: fromLeaseMessage(message.lease),
    revision: message.revision,
    stored: placed(request.events, message.sequences),
    missed: message.missed.map(fromStoredEventMessage),
    cancelRequested: message.cancelRequested,
  };
}

/** Events with the sequences that the store assigned. */
export function placed<Record extends object>(
  events: readonly Record[],
  sequences: readonly number[],
): readonly (Record & { readonly sequence: number })[] {
  return events.map((event, index) => ({ ...event, sequence: sequences[index] ?? Number.NaN }));
}
