import type { Clock } from "#kit/platform/clock.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { WebhookDirectory } from "./webhook-directory.ts";

export interface RunWatch {
  readonly store: Pick<WebhookStore, "watch">;
  readonly directory: WebhookDirectory;
  readonly clock: Pick<Clock, "now">;
  /** Called when a run of this process is noted. */
  readonly look: () => void;
}

/**
 * The runner's service that notes each run before it starts, if a webhook wants to hear of it. The note is what reports
 * the run's end later, whoever is lost meanwhile; one whose run never began is forgotten.
 */
export function watchRuns(service: RunnerService, watch: RunWatch): RunnerService {
  return {
    startRun: async (request) => {
      await note(watch, request);
      return service.startRun(request);
    },
    cancelRun: (runId, tenantId) => service.cancelRun(runId, tenantId),
    listApps: () => service.listApps(),
    describeApp: (appName) => service.describeApp(appName),
  };
}

/** The same for live runs. */
export function watchLiveRuns(service: LiveRunnerService, watch: RunWatch): LiveRunnerService {
  return {
    runLive: async function* (request) {
      if (request.resumes !== true) await note(watch, request);
      yield* service.runLive(request);
    },
  };
}

async function note({ store, directory, clock, look }: RunWatch, { session, runId }: StartRunRequest): Promise<void> {
  // The gateway names each run that it starts.
  if (runId === undefined) return;
  if (directory.isRead ? directory.known(session).length === 0 : (await directory.wanting(session)).length === 0)
    return;
  await store.watch(session, { runId, sinceMs: clock.now() });
  look();
}
