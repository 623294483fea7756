import type { Event } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** Stores events as a run of the session has written them. */
export async function recordEvents(
  journal: RunJournal,
  session: SessionKey,
  events: readonly Event[],
  runId = "recorded",
): Promise<void> {
  const begun = await journal.begin({
    ...{ runId, session, invocationId: events[0]?.invocationId ?? "none", request: {}, policy: "reject" },
    ...{ holder: "recorder", leaseMs: 1000, haveRevision: 0, fromHistoryStart: true },
  });
  if (begun.kind !== "started") throw new Error(`The run is ${begun.kind}.`);
  const { lease, snapshot } = begun;
  const records = events.map(toEventRecord);
  await journal.finish({ lease, afterRevision: snapshot.revision, events: records, status: "succeeded" });
}
