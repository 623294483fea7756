import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Release } from "#tooling/cluster/release.ts";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

const SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval", "redis", "firestore"] as const;
const BACKENDS: readonly string[] = ["redis", "firestore"];
/** After the successor is ready: two seconds, one that its readiness is known to, and one that a request waits for an answer. */
const BACK_MS = 2_000 + 1_000 + 1_000;

type Loss = (release: Release, pod: string) => Promise<unknown>;

const LOSSES: Readonly<Record<string, Loss>> = {
  // As when its node is lost: the address leads nowhere.
  "deleted by force": (release, pod) => release.kubectl("delete", "pod", pod, "--grace-period=0", "--force"),
  evicted: (release, pod) => release.evict(pod),
};

describe.skipIf(noCluster(process.env) !== undefined)("the loss of one pod", { timeout: 1_500_000 }, () => {
  it.each([1, 2])("of %i costs no more than 2 s after its successor is ready", async (replicas) => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    const scaled = Object.fromEntries(SERVICES.slice(0, 6).map((service) => [service, { replicas }]));
    await release.apply(scaled);
    const gateway = `http://${release.fullName}-gateway`;
    const client = await world.client();
    const table: string[] = [];
    const late: string[] = [];
    for (const service of SERVICES) {
      for (const [loss, lose] of Object.entries(LOSSES)) {
        // There is one pod of each backend, and it is not asked to end.
        if (BACKENDS.includes(service) && (loss !== "deleted by force" || replicas > 1)) continue;
        const outage = client.startOutage(gateway, service);
        await pause(2_000);
        const [pod = ""] = await release.pods(service);
        await lose(release, pod);
        await pause(1_000);
        await release.untilRolledOut(service);
        await pause(3_000);
        const { longestMs, backAt, refused } = await outage.finish();
        const lateMs = longestMs === 0 ? 0 : backAt - (await release.readySince(service));
        table.push(
          `${service} ${loss}: ${refused} refused, ${longestMs} ms, ${lateMs} ms after its successor's readiness`,
        );
        // A new emulator of Firestore is slow with its first requests.
        if (lateMs > BACK_MS && service !== "firestore") late.push(table.at(-1) ?? "");
      }
    }
    process.stderr.write(`replicas: ${replicas}\n  ${table.join("\n  ")}\n`);
    expect(late).toEqual([]);
  });
});
