import { describe, expect, it, vi } from "vitest";
import { GatewayClient } from "#test/e2e/suite/gateway-client.ts";
import { forwardPort } from "#test/e2e/targets/port-forward.ts";
import type { Release } from "#tooling/cluster/release.ts";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

describe.skipIf(noCluster(process.env) !== undefined)("two releases in one namespace", { timeout: 300_000 }, () => {
  it("do not see each other's sessions, and one stays when the other goes", async () => {
    await using world = await ClusterWorld.create();
    const [blue, green] = [world.release("blue"), world.release("green")];
    await Promise.all([blue.apply(), green.apply()]);
    const sessions = "/apps/bench/users/ada/sessions";
    await on(blue, (client) => client.json("POST", `${sessions}/only-blue`, {}));
    expect(await on(green, (client) => client.json("GET", sessions))).toEqual([]);

    await green.uninstall();
    await world.untilNothingIsLeft(green);
    expect(await blue.test()).toMatch(/Phase:\s+Succeeded/);
    expect(await on(blue, (client) => client.json("GET", sessions))).toEqual([
      expect.objectContaining({ id: "only-blue" }),
    ]);
  });
});

async function on<Answer>(release: Release, ask: (client: GatewayClient) => Promise<Answer>): Promise<Answer> {
  await using target = await forwardPort({ namespace: release.namespace, service: `${release.fullName}-gateway` });
  const client = new GatewayClient(target.url);
  // A forwarded port accepts connections before its connection to the pod is open.
  await vi.waitFor(() => client.json("GET", "/ready"), { timeout: 30_000, interval: 200 });
  // Awaited here: a returned promise would outlive the port.
  return await ask(client);
}
