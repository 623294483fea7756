import { afterAll, describe, expect, it, vi } from "vitest";
import { GatewayClient, messageOf } from "#test/e2e/suite/gateway-client.ts";
import { forwardPort } from "#test/e2e/targets/port-forward.ts";
import { apply } from "#tooling/cluster/commands.ts";
import type { Release } from "#tooling/cluster/release.ts";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

const SOON = { timeout: 90_000, interval: 500 };
const ADMIN = "http://127.0.0.1:9090";
const KEY = { variable: "GOOGLE_API_KEY", secret: "model-keys", key: "google" };

let begun: Promise<{ readonly world: ClusterWorld; readonly release: Release }> | undefined;

/** One release for all tests of this file, each of which leaves it ready. */
function theRelease(): NonNullable<typeof begun> {
  begun ??= (async () => {
    const world = await ClusterWorld.create();
    const release = world.release();
    await release.apply();
    return { world, release };
  })();
  return begun;
}

describe.skipIf(noCluster(process.env) !== undefined)("pods that miss something", { timeout: 300_000 }, () => {
  afterAll(async () => (await theRelease()).world[Symbol.asyncDispose]());

  it("stay up without their store and say so, and the gateway answers for them", async () => {
    const { release } = await theRelease();
    const [session = ""] = await release.pods("session");
    await release.scale("firestore", 0);
    await expect.poll(() => notReady(release, session), SOON).toEqual(["store"]);
    const [runner = ""] = await release.pods("runner");
    await expect.poll(() => notReady(release, runner), SOON).toEqual(["session"]);
    const refused = await openSession(release);
    expect([refused.status, refused.headers.has("retry-after")]).toEqual([503, true]);
    expect(await linesOf(release, session, "part is not ready")).toEqual([
      expect.objectContaining({ level: "warn", part: "store", error: expect.anything() }),
    ]);
    expect(await release.pods("session")).toEqual([session]);
    expect(await restarts(release)).toBe(0);

    await release.scale("firestore", 1);
    for (const pod of [session, runner]) await expect.poll(() => notReady(release, pod), SOON).toEqual([]);
    // The gateway finds a runner that is ready again when it looks up the service's addresses.
    await vi.waitFor(() => runIsAnswered(release), SOON);
  });

  it("wait for a Redis that they never reached, while those that they replace answer on", async () => {
    const { release } = await theRelease();
    const [old = ""] = await release.pods("runner");
    await release.scale("redis", 0);
    await release.kubectl("rollout", "restart", release.deployment("runner"));
    const added = await vi.waitFor(() => anotherPod(release, old), SOON);
    await expect.poll(() => notReady(release, added), SOON).toEqual(["redis"]);
    await expect.poll(() => linesOf(release, added, "Redis cannot be reached"), SOON).toHaveLength(1);
    expect(await runIsAnswered(release)).toBe(true);
    expect(await restarts(release)).toBe(0);

    await release.scale("redis", 1);
    await release.untilRolledOut("runner");
  });

  it("wait for a Secret that is not there, which the cluster names, while those that they replace answer on", async () => {
    const { release } = await theRelease();
    const [old = ""] = await release.pods("runner");
    await release.begin({ models: { secrets: [KEY] } });
    const added = await vi.waitFor(() => anotherPod(release, old), SOON);
    const events = (): Promise<string> =>
      release.kubectl(
        "get",
        "events",
        `--field-selector=involvedObject.name=${added}`,
        "--output=jsonpath={..message}",
      );
    await expect.poll(events, SOON).toContain('secret "model-keys" not found');
    expect(await runIsAnswered(release)).toBe(true);

    const metadata = { name: KEY.secret };
    await apply(release.namespace, { apiVersion: "v1", kind: "Secret", metadata, stringData: { google: "none" } });
    await release.untilRolledOut("runner");
    expect(await runIsAnswered(release)).toBe(true);
  });
});

/** The parts that the pod reports as missing. */
async function notReady(release: Release, pod: string): Promise<readonly string[]> {
  const answer: { readonly notReady?: readonly string[] } = JSON.parse(await release.fetchIn(pod, `${ADMIN}/ready`));
  return answer.notReady ?? [];
}

async function linesOf(release: Release, pod: string, message: string): Promise<readonly unknown[]> {
  const lines = (await release.kubectl("logs", pod)).split("\n");
  return lines.filter((line) => line.includes(message)).map((line): unknown => JSON.parse(line));
}

async function openSession(release: Release): Promise<Response> {
  await using target = await forwardPort({ namespace: release.namespace, service: `${release.fullName}-gateway` });
  const headers = { "content-type": "application/json" };
  // Awaited here: the port is forwarded until the function ends.
  return await fetch(`${target.url}/apps/bench/users/ada/sessions`, { method: "POST", headers, body: "{}" });
}

async function anotherPod(release: Release, old: string): Promise<string> {
  const added = (await release.pods("runner")).find((pod) => pod !== old);
  if (added === undefined) throw new Error("There is no other pod yet.");
  return added;
}

/** The restarts of the containers of all services. */
async function restarts(release: Release): Promise<number> {
  const path = "--output=jsonpath={.items[*].status.containerStatuses[*].restartCount}";
  const counts = await release.kubectl("get", "pods", "--selector", release.selector, path);
  return counts.split(" ").reduce((sum, count) => sum + Number(count), 0);
}

async function runIsAnswered(release: Release): Promise<boolean> {
  await using target = await forwardPort({ namespace: release.namespace, service: `${release.fullName}-gateway` });
  const client = new GatewayClient(target.url);
  const talk = await client.newTalk("bench", "ada");
  const events = await client.json<readonly object[]>("POST", "/run", messageOf(talk, "n=1 d=0 s=1"));
  return events.length === 1;
}
