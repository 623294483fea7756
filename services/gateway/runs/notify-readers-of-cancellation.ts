import type { RunnerService } from "#ports/runs/runner-service.ts";
import { streamName } from "#ports/runs/stream-name.ts";
import type { GatewayDeps } from "../deps.ts";

type RecheckDeps = Pick<GatewayDeps, "runStream" | "logger"> & {
  readonly runJournal: Pick<GatewayDeps["runJournal"], "get">;
};

/**
 * Runners over gRPC. A cancellation can end a run that no runner executes, because it was handed over. Then possibly no
 * runner has the key of the run's stream to publish the end, so the readers of the stream are made to read the record.
 */
export function notifyReadersOfCancellation(runner: RunnerService, deps: RecheckDeps): RunnerService {
  return {
    startRun: (request) => runner.startRun(request),
    cancelRun: async (runId, tenantId) => {
      const run = await runner.cancelRun(runId, tenantId);
      if (run.status === "cancelled" && run.attempts > 0) await recheck(deps, runId, tenantId);
      return run;
    },
    listApps: () => runner.listApps(),
    describeApp: (appName) => runner.describeApp(appName),
  };
}

async function recheck(
  { runJournal, runStream, logger }: RecheckDeps,
  runId: string,
  tenantId: string | undefined,
): Promise<void> {
  try {
    // What runners return has no key.
    const run = await runJournal.get(runId, tenantId);
    if (run !== undefined) runStream.recheck?.(runId, streamName(run));
  } catch (error) {
    // The run is cancelled. Readers look at the record by themselves after some seconds.
    logger.warn({ error, runId }, "the readers of a cancelled run were not notified");
  }
}
