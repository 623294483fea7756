import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GatewayClient } from "#test/e2e/suite/gateway-client.ts";
import { platformSuite } from "#test/e2e/suite/platform-suite.ts";
import { fetchByHost } from "#test/e2e/targets/fetch-by-host.ts";
import { forwardPort } from "#test/e2e/targets/port-forward.ts";
import { urlTarget } from "#test/e2e/targets/target.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { Release } from "#tooling/cluster/release.ts";
import { clusterSettings, noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

const HOST = "agents.test";
const { ingressUrl, ingressClass, gatewayClass } = clusterSettings(process.env);
if (ingressUrl === undefined)
  process.stderr.write("No Ingress and no HTTPRoute is tried: E2E_INGRESS_URL is not set.\n");

let installed: Promise<{ readonly world: ClusterWorld; readonly release: Release }> | undefined;

/** One release for all tests of this file. */
function theRelease(): NonNullable<typeof installed> {
  installed ??= (async () => {
    const world = await ClusterWorld.create();
    const release = world.release();
    await release.apply({
      ...(ingressUrl !== undefined && {
        ingress: { enabled: true, className: ingressClass, hosts: [HOST] },
        gatewayApi: {
          enabled: true,
          hostnames: [`route.${HOST}`],
          gateway: { create: true, className: gatewayClass },
        },
      }),
    });
    return { world, release };
  })();
  return installed;
}

describe.skipIf(noCluster(process.env) !== undefined)("the chart on a cluster", { timeout: 300_000 }, () => {
  it("installs into a namespace that accepts restricted pods alone, and passes its own test", async () => {
    verifies("platform:helm:install");
    const { release } = await theRelease();
    expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
    const pods = await release.kubectl("get", "pods", "--output=jsonpath={.items[*].status.phase}");
    expect(new Set(pods.split(" "))).toEqual(new Set(["Running"]));
  });

  platformSuite("through a forwarded port", async () => {
    const { release } = await theRelease();
    return forwardPort({ namespace: release.namespace, service: `${release.fullName}-gateway` });
  });

  describe.skipIf(ingressUrl === undefined)("published", () => {
    for (const [kind, host] of [
      ["an Ingress", HOST],
      ["an HTTPRoute", `route.${HOST}`],
    ] as const) {
      platformSuite(`by ${kind}`, async () => {
        await theRelease();
        const target = urlTarget(ingressUrl ?? "", fetchByHost(host));
        // A controller takes a moment to load new routes.
        const ready = async (): Promise<unknown> => new GatewayClient(target.url, target.fetch).json("GET", "/ready");
        await vi.waitFor(ready, { timeout: 60_000, interval: 500 });
        return target;
      });
    }
  });

  it("leaves nothing behind when it is uninstalled", async () => {
    const { world, release } = await theRelease();
    onTestFinished(() => world[Symbol.asyncDispose](), 180_000);
    await release.uninstall();
    await world.untilNothingIsLeft(release);
  });
});
