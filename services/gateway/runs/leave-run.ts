import type { OnDisconnect } from "#kit/core/app.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { GatewayDeps } from "../deps.ts";

/** Called when the client of a run has left: cancels the run where its request, or else its app, or else the server says so. */
export function leaveRun(deps: GatewayDeps, run: RunRecord, asked: OnDisconnect | undefined): void {
  if (asked === "continue") return;
  // Nobody is there to be told: the run's own limits end it if this fails.
  cancelIfAsked(deps, run, asked).catch((error: unknown) =>
    deps.logger.warn({ runId: run.runId, error }, "cannot cancel the run of a client that left"),
  );
}

async function cancelIfAsked(
  { runnerService, config }: GatewayDeps,
  { runId, session }: RunRecord,
  asked: OnDisconnect | undefined,
): Promise<void> {
  // Asked only now: most clients stay to the end.
  const wanted = asked ?? (await runnerService.describeApp(session.appName)).onDisconnect ?? config.ON_DISCONNECT;
  if (wanted === "cancel") await runnerService.cancelRun(runId);
}
