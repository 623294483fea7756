import type { RunnerDeps } from "./deps.ts";
import type { InProcessRunnerService } from "./in-process-runner-service.ts";
import { closeRun } from "./recovery/close-abandoned-runs.ts";
import { RunReaper } from "./recovery/run-reaper.ts";

/** Looks for runs that lost their runner, on behalf of this one. To be started. */
export function createRunReaper(deps: RunnerDeps, runner: InProcessRunnerService): RunReaper {
  return new RunReaper({
    runJournal: deps.runJournal,
    leaseMs: deps.config.LEASE_MS,
    logger: deps.logger,
    takeUp: (run) => runner.takeUp(run),
    giveUp: (run) => closeRun(deps, run, APP_GONE),
  });
}

const APP_GONE = {
  status: "failed",
  reason: "APP_NOT_FOUND",
  message: "The run lost its runner, and no other one has its app.",
} as const;
