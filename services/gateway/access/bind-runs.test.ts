import { describe, expect, it } from "vitest";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { bindRuns } from "./bind-runs.ts";

const SESSION = { appName: "echo", userId: "ada", id: "talk" };
const ADA: Principal = { tenantId: "default", userId: "ada", scopes: ["app-state:write"] };
const ALL: Principal = { tenantId: "default", scopes: ["users:all"] };

/** The runner of a gateway, with the principals of the calls that it gets. */
async function startBound() {
  const world = await startGateway();
  await world.store.createSession(SESSION);
  const seen: unknown[] = [];
  const note = <Result>(work: () => Result): Result => {
    seen.push(currentCallScope());
    return work();
  };
  const { runnerService } = world.deps;
  const noted: RunnerService & LiveRunnerService = {
    runLive: async function* ({ session, request }) {
      yield { kind: "recorded", run: await note(() => runnerService.startRun({ session, request })) };
    },
    startRun: (request) => note(() => runnerService.startRun(request)),
    cancelRun: (...names) => note(() => runnerService.cancelRun(...names)),
    listApps: () => note(() => runnerService.listApps()),
    describeApp: (appName) => note(() => runnerService.describeApp(appName)),
  };
  return { world, runner: bindRuns(noted), seen };
}

describe("the principal that a gateway gives a runner", () => {
  it("reaches only the session in which the run starts, whatever the request reaches, and keeps the trace", async () => {
    const { world, runner, seen } = await startBound();
    await using _ = world;
    for (const principal of [ADA, ALL])
      await inCallScope({ principal, traceParent: "00-1-2-01" }, () =>
        runner.startRun({ session: SESSION, request: {} }),
      );
    const bound = { tenantId: "default", appName: "echo", userId: "ada", sessionId: "talk", scopes: [] };
    expect(seen).toEqual([bound, bound].map((principal) => ({ principal, traceParent: "00-1-2-01" })));
  });

  it("reaches only the session of a live run", async () => {
    const { world, runner, seen } = await startBound();
    await using _ = world;
    const inputs = (async function* () {})();
    const { signal } = new AbortController();
    const request = { runId: "call", session: SESSION, request: { live: {} }, inputs, signal };
    const reports = await inCallScope({ principal: ALL }, () => Array.fromAsync(runner.runLive(request)));
    expect(reports).toHaveLength(1);
    const principal = { tenantId: "default", appName: "echo", userId: "ada", sessionId: "talk", scopes: [] };
    expect(seen).toEqual([{ principal }]);
  });

  it("reaches only the run that is cancelled", async () => {
    const { world, runner, seen } = await startBound();
    await using _ = world;
    const { runId } = await runner.startRun({ session: SESSION, request: {} });
    await inCallScope({ principal: ALL }, () => runner.cancelRun(runId));
    expect(seen[1]).toEqual({ principal: { ...ALL, runId } });
  });

  it("is refused for a session that the request may not reach", async () => {
    const { world, runner, seen } = await startBound();
    await using _ = world;
    const foreign = inCallScope({ principal: { ...ADA, userId: "bob" } }, () =>
      runner.startRun({ session: SESSION, request: {} }),
    );
    await expect(foreign).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    expect(seen).toEqual([]);
  });

  it("is that of the request for calls that reach no data of users", async () => {
    const { world, runner, seen } = await startBound();
    await using _ = world;
    await inCallScope({ principal: ADA }, async () => {
      expect(await runner.listApps()).toContain("echo");
      expect((await runner.describeApp("echo")).name).toBe("echo");
    });
    expect(seen).toEqual([{ principal: ADA }, { principal: ADA }]);
  });
});
