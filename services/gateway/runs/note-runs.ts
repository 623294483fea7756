import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";

/** Is called with each run before it starts. If it throws, the run does not start. */
export type NoteRun = (start: Pick<StartRunRequest, "session" | "runId">) => Promise<void>;

/** The runner's service that notes each run before it starts, so that no end of a run is lost with a process. */
export function noteRuns(service: RunnerService, note: NoteRun): RunnerService {
  return {
    startRun: async (request) => {
      await note(request);
      return service.startRun(request);
    },
    cancelRun: (runId, tenantId) => service.cancelRun(runId, tenantId),
    listApps: () => service.listApps(),
    describeApp: (appName) => service.describeApp(appName),
  };
}

/** The same for live runs. */
export function noteLiveRuns(service: LiveRunnerService, note: NoteRun): LiveRunnerService {
  return {
    runLive: async function* (request) {
      if (request.resumes !== true) await note(request);
      yield* service.runLive(request);
    },
  };
}
