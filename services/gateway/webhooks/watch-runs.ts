import type { Clock } from "#kit/platform/clock.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { NoteRun } from "../runs/note-runs.ts";
import type { WebhookDirectory } from "./webhook-directory.ts";

export interface RunWatch {
  readonly store: Pick<WebhookStore, "watch">;
  readonly directory: WebhookDirectory;
  readonly clock: Pick<Clock, "now">;
  /** Called when a run of this process is noted. */
  readonly look: () => void;
}

/**
 * Notes a run if a webhook wants to hear of it. The note is what reports the run's end later, whoever is lost meanwhile; one
 * whose run never began is forgotten.
 */
export function watchRuns({ store, directory, clock, look }: RunWatch): NoteRun {
  return async ({ session, runId }) => {
    // The gateway names each run that it starts.
    if (runId === undefined) return;
    if (directory.isRead ? directory.known(session).length === 0 : (await directory.wanting(session)).length === 0)
      return;
    await store.watch(session, { runId, sinceMs: clock.now() });
    look();
  };
}
