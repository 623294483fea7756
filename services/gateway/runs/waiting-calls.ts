import { functionCalls, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";

/** A call that waits for its final response, as it is in its event. */
export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly eventId: string;
  readonly author: string;
  /** What its tool has answered so far, if it began work that someone else ends. Absent for a question to the user. */
  readonly interimResponse?: JsonObject;
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
  const interim = new Map<string, JsonObject>();
  const open = new OpenCalls("user");
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
      if (event.author === USER_AUTHOR) continue;
      for (const { id, response } of functionResponses(event))
        if (id !== undefined && response !== undefined) interim.set(id, response);
    }
  }
  return calls.filter(({ id }) => open.has(id)).map((call) => ({ ...call, interimResponse: interim.get(call.id) }));
}
