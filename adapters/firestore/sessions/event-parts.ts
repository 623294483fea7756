import { LeaseLostError } from "#kit/errors/session-errors.ts";
import type { EventRecord, StoredEvent } from "#kit/events/event-record.ts";
import { NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  FinishRunRequest,
  FinishRunResult,
} from "#kit/sessions/run-journal.ts";
import { eventBytes } from "./event-document.ts";
import { splitBySize } from "./session-commits.ts";

/** How many bytes of a commit an event needs. */
export type EventSize = (event: EventRecord) => number;

/** Sealed text is base64, with a header for each event that the commit's overhead includes. */
export function sealedEventBytes(event: EventRecord): number {
  return Math.ceil((eventBytes(event) * 4) / 3);
}

/**
 * Appends events that do not fit into one commit in several parts. If it is interrupted, the stored parts stay: a
 * repeated call recognises them and adds the others.
 */
export async function appendInParts(
  request: AppendEventsRequest,
  append: (part: AppendEventsRequest) => Promise<AppendEventsResult>,
  bytesOf: EventSize = eventBytes,
): Promise<AppendEventsResult> {
  const parts = splitBySize(request.events, bytesOf);
  if (parts.length < 2) return append(request);
  const stored: StoredEvent[] = [];
  let last: AppendEventsResult | undefined;
  let { lease } = request;
  for (const [index, events] of parts.entries()) {
    const isLast = index === parts.length - 1;
    last = await append({ ...request, ...(!isLast && withoutBound(request)), lease, events });
    lease = last.lease;
    stored.push(...last.stored);
  }
  if (last === undefined) throw new Error("Two parts gave no result.");
  return { ...last, stored, missed: withoutOwn(last.missed, request.events) };
}

export interface RunWrites {
  readonly append: (part: Omit<AppendEventsRequest, "leaseMs">) => Promise<AppendEventsResult>;
  readonly finish: (part: FinishRunRequest) => Promise<FinishRunResult>;
}

/** Finishes with events that do not fit into one commit: all parts but the last are appended first. */
export async function finishInParts(
  request: FinishRunRequest,
  { append, finish }: RunWrites,
  bytesOf: EventSize = eventBytes,
): Promise<FinishRunResult> {
  const parts = splitBySize(request.events, bytesOf);
  if (parts.length < 2) return finish(request);
  const last = parts.at(-1) ?? [];
  const events = parts.slice(0, -1).flat();
  try {
    const { lease, afterRevision } = request;
    const appended = await append({ lease, afterRevision, events, ...withoutBound(request) });
    const finished = await finish({ ...request, events: last });
    const stored = [...appended.stored, ...finished.stored];
    return { ...finished, stored, missed: withoutOwn(finished.missed, request.events) };
  } catch (error) {
    // If an earlier attempt finished the run, all events are stored and recognised; otherwise this call is refused too.
    if (error instanceof LeaseLostError) return finish(request);
    throw error;
  }
}

/** A history start after all events is not valid after a part of them. */
function withoutBound({
  historyStart,
}: Pick<AppendEventsRequest, "historyStart">): Pick<AppendEventsRequest, "historyStart"> {
  return historyStart === undefined ? {} : { historyStart: NO_HISTORY_START };
}

/** The events that are new to the caller, without its own that are stored already. */
function withoutOwn(missed: readonly StoredEvent[], own: readonly EventRecord[]): readonly StoredEvent[] {
  const ids = new Set(own.map(({ id }) => id));
  return missed.filter(({ id }) => !ids.has(id));
}
