import type { OnDisconnect } from "#kit/core/app.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { GatewayDeps } from "../deps.ts";

/**
 * Called when the client of a run has left: cancels the run if its request, or else its app, or else the server's
 * setting demands it.
 */
export function leaveRun(deps: GatewayDeps, run: RunRecord, asked: OnDisconnect | undefined): void {
  if (asked === "continue") return;
  // The client has left, so the failure has no receiver; the run's own limits end it.
  cancelIfAsked(deps, run, asked).catch((error: unknown) =>
    deps.logger.warn({ runId: run.runId, error }, "cannot cancel the run of a client that left"),
  );
}

async function cancelIfAsked(
  { runnerService, config }: GatewayDeps,
  { runId, session }: RunRecord,
  asked: OnDisconnect | undefined,
): Promise<void> {
  // Read only now, because most clients stay to the end.
  const wanted = asked ?? (await runnerService.describeApp(session.appName)).onDisconnect ?? config.ON_DISCONNECT;
  if (wanted === "cancel") await runnerService.cancelRun(runId);
}
