import type { InboxStore } from "#ports/inbox/inbox-store.ts";
import type { GatewayDeps } from "../deps.ts";
import { type NoteRun, noteLiveRuns, noteRuns } from "../runs/note-runs.ts";
import { AppInboxes } from "./app-inboxes.ts";

/** The services of runners that note the runs whose questions have a time. */
export function watchQuestions(
  { runnerService, liveRunner, clock }: Pick<GatewayDeps, "runnerService" | "liveRunner" | "clock">,
  store: Pick<InboxStore, "watch">,
  onNote: () => void,
): Pick<GatewayDeps, "runnerService" | "liveRunner"> {
  const inboxes = new AppInboxes(runnerService, clock);
  const note: NoteRun = async ({ session, runId }) => {
    // The gateway names each run that it starts.
    if (runId === undefined) return;
    const inbox = await inboxes.of(session.appName);
    if (inbox === undefined) return;
    const { expiresAfterSeconds, onExpiry = "reject" } = inbox;
    await store.watch({ session, runId }, { sinceMs: clock.now(), afterMs: expiresAfterSeconds * 1000, onExpiry });
    onNote();
  };
  return {
    runnerService: noteRuns(runnerService, note),
    liveRunner: liveRunner && noteLiveRuns(liveRunner, note),
  };
}
