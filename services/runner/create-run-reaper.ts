import { inCallScope } from "#shared/security/call-scope.ts";
import type { RunnerDeps } from "./deps.ts";
import { resumptionScope } from "./execution/recovered-run.ts";
import type { InProcessRunnerService } from "./in-process-runner-service.ts";
import { forgetLiveHandle } from "./live/forget-live-handle.ts";
import { closeRun } from "./recovery/close-abandoned-runs.ts";
import { RunReaper } from "./recovery/run-reaper.ts";

/** A reaper that recovers lost runs on this runner. The caller starts it. */
export function createRunReaper(deps: RunnerDeps, runner: InProcessRunnerService): RunReaper {
  return new RunReaper({
    runJournal: deps.runJournal,
    leaseMs: deps.config.LEASE_MS,
    revisionWaitMs: deps.runNotifications === undefined ? 0 : deps.config.AGENT_REVISION_WAIT_MS,
    clock: deps.clock,
    logger: deps.logger,
    recover: (run, options) => runner.recover(run, options),
    giveUp: (run, miss) =>
      inCallScope(resumptionScope(run), async () => {
        await closeRun(deps, run, CLOSINGS[miss]);
        await forgetLiveHandle(deps, run);
      }),
  });
}

const CLOSINGS = {
  "no-app": {
    status: "failed",
    reason: "APP_NOT_FOUND",
    message: "The run lost its runner, and no other runner has its app.",
  },
  "no-revision": {
    status: "failed",
    reason: "AGENT_REVISION_UNAVAILABLE",
    message: "The run lost its runner, and no other runner has the version of its agent.",
  },
  "no-client": {
    status: "interrupted",
    reason: "RUN_INTERRUPTED",
    message: "The live run lost its runner, and its client has left.",
  },
} as const;
