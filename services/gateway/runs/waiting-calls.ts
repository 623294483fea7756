import { functionCalls } from "#kit/events/event.ts";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";

/** A call that waits for the user's answer, as it is in its event. */
export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly eventId: string;
  readonly author: string;
}

const PAGE_SIZE = 500;

/**
 * The calls whose answers the run waits for, in their order; none if the run does not wait, or was answered. Only
 * events of the run's invocation are parsed; of a compacted session only the events from its history start are read, which
 * contain all waiting calls.
 */
export async function readWaitingCalls(
  sessions: Pick<SessionService, "listEventRecords">,
  { status, answeredBy, session, invocationId }: RunRecord,
): Promise<readonly WaitingCall[]> {
  if (status !== "awaiting_input" || answeredBy !== undefined) return [];
  const calls: WaitingCall[] = [];
  const open = new OpenCalls("any");
  const request = { ...session, fromHistoryStart: true, pageSize: PAGE_SIZE };
  for await (const { events } of allPages((place) => sessions.listEventRecords({ ...request, ...place }))) {
    for (const record of events) {
      if (record.invocationId !== invocationId || record.outside === true) continue;
      const event = fromEventRecord(record);
      open.watch(event);
      for (const { id, name = "", args = {} } of functionCalls(event)) {
        if (id !== undefined && event.longRunningToolIds?.includes(id) === true)
          calls.push({ id, name, args, eventId: event.id, author: event.author });
      }
    }
  }
  return calls.filter(({ id }) => open.has(id));
}
