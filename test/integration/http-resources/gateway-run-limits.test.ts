import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };

function post(world: GatewayWorld, url: string, payload?: unknown) {
  return world.gateway.inject({
    method: "POST",
    url,
    ...(payload !== undefined && { payload: { ...RUN, ...payload } }),
  });
}

describe("a run that cannot start now", () => {
  it("is refused with the active run and the time to try again where the policy is reject", async () => {
    verifies("wire:run:busy-session");
    await using world = await startGateway({ script: () => new Promise(() => {}) });
    await world.store.createSession(KEY);
    const { runId } = (await post(world, "/v1/runs", {})).json<{ runId: string }>();
    const refused = await post(world, "/v1/runs", { policy: "reject" });
    expect([refused.statusCode, refused.headers["retry-after"], refused.json()]).toMatchObject([
      409,
      "1",
      { reason: "SESSION_BUSY", details: { runId } },
    ]);
  });

  it("is refused with the time to try again where the runner is busy", async () => {
    await using world = await startGateway();
    const details = { limit: "MAX_CONCURRENT_RUNS", retryAfterSeconds: "2" };
    world.runner.startRun = () => Promise.reject(new PlatformError("RUNNER_BUSY", "full", { details }));
    for (const url of ["/run", "/run_sse", "/v1/runs"]) {
      const refused = await post(world, url, {});
      expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "2"]);
      expect(refused.json()).toMatchObject({ reason: "RUNNER_BUSY", details });
    }
  });
});

describe("a cancel that waits", () => {
  it("answers when the run has ended", async () => {
    const hold = Promise.withResolvers<void>();
    await using world = await startGateway({
      script: async () => {
        await hold.promise;
        return { status: "cancelled" };
      },
    });
    await world.store.createSession(KEY);
    const { runId } = (await post(world, "/v1/runs", {})).json<{ runId: string }>();
    const cancelRun = world.runner.cancelRun.bind(world.runner);
    world.runner.cancelRun = async (id) => {
      const record = await cancelRun(id);
      setImmediate(hold.resolve);
      return record;
    };
    const cancelled = await post(world, `/v1/runs/${runId}/cancel?wait=true`);
    expect([cancelled.statusCode, cancelled.json()]).toMatchObject([200, { runId, status: "cancelled" }]);
    expect((await post(world, `/v1/runs/${runId}/cancel?wait=true`)).json()).toMatchObject({ status: "cancelled" });
  });
});
