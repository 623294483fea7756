import { expect, it } from "vitest";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

it.each(["/run", "/run_sse"])("cancels the run of a client that left before it was started: %s", async (path) => {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let world: GatewayWorld | undefined = undefined;
  const runner = (): RunnerService => {
    if (world === undefined) throw new Error("not started");
    return world.runner;
  };
  const runnerService: RunnerService = {
    startRun: async (request) => {
      asked.resolve();
      await left.promise;
      return runner().startRun(request);
    },
    cancelRun: (runId) => runner().cancelRun(runId),
    listApps: () => runner().listApps(),
    describeApp: (appName) => runner().describeApp(appName),
  };
  await using started = await startGateway({
    script: () => new Promise(() => {}),
    deps: {
      runnerService,
      requestObserver: {
        requestStarted: () => {},
        requestEnded: ({ route }) => {
          if (route === path) left.resolve();
        },
      },
    },
  });
  world = started;
  const url = await started.listen();
  await started.store.createSession({ appName: "echo", userId: "ada", id: "talk" });
  const leaving = new AbortController();
  const request = fetch(`${url}${path}?on_disconnect=cancel`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      appName: "echo",
      userId: "ada",
      sessionId: "talk",
      streaming: true,
      newMessage: { role: "user", parts: [{ text: "hi" }] },
    }),
    signal: leaving.signal,
  }).catch((error: Error) => error.name);
  await asked.promise;
  leaving.abort();
  expect(await request).toBe("AbortError");
  await expect.poll(() => started.runner.cancelled).toHaveLength(1);
});
