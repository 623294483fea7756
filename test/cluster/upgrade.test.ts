import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LoadReport } from "#test/e2e/suite/load.ts";
import type { Release } from "#tooling/cluster/release.ts";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

const REPLICATED = { gateway: { replicas: 2 }, runner: { replicas: 2 }, session: { replicas: 2 } };
/** Replaces the pods of every service. */
const CHANGED = { ...REPLICATED, defaults: { podAnnotations: { "example.com/change": "1" } } };
const BROKEN_IMAGE = { ...REPLICATED, image: { tag: "there-is-none" } };
/** Among the settings the chart would refuse it; here the process refuses it at its start. */
const BROKEN_SETTING = { ...REPLICATED, defaults: { extraEnv: [{ name: "PEER_CHECK_MS", value: "soon" }] } };
const SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval"];
const WITHOUT_FAULT = {
  runs: expect.any(Number),
  retries: expect.any(Number),
  reconnects: expect.any(Number),
  faults: [],
};

function logReport(what: string, report: LoadReport): void {
  process.stderr.write(`${what}: ${JSON.stringify({ ...report, faults: report.faults.length })}\n`);
}

describe.skipIf(noCluster(process.env) !== undefined)("a release under load", { timeout: 600_000 }, () => {
  it("is upgraded and rolled back without a failed run, a lost event or a doubled one", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply(REPLICATED);
    const load = (await world.client()).startLoad(`http://${release.fullName}-gateway`, { loops: 4, chunks: 40 });
    const before = await podsOf(release);
    await release.apply(CHANGED);
    const after = await podsOf(release);
    expect(after.filter((pod) => before.includes(pod))).toEqual([]);
    await release.rollBack();
    const report = await load.finish();
    logReport("upgrade and rollback", report);
    expect(report).toEqual(WITHOUT_FAULT);
    expect(report.runs).toBeGreaterThan(8);
  });

  it("goes back from upgrades whose pods never become ready, without a failed run", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply(REPLICATED);
    const before = await podsOf(release);
    const load = (await world.client()).startLoad(`http://${release.fullName}-gateway`, { loops: 4, chunks: 400 });
    for (const broken of [BROKEN_IMAGE, BROKEN_SETTING]) {
      await expect(release.applyOrGoBack(broken, "40s")).rejects.toThrow(/has been rolled back/);
      expect(await podsOf(release)).toEqual(before);
    }
    const report = await load.finish();
    logReport("upgrades that went back", report);
    expect(report).toEqual(WITHOUT_FAULT);
  });

  it("loses no run and no event when a pod of any service is deleted, and streams continue at another gateway", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    // A gateway that gives streams no time to end, so that they are cut.
    await release.apply({ ...REPLICATED, gateway: { replicas: 2, preStopSeconds: 1, drainSeconds: 0 } });
    const client = await world.client();
    for (const service of SERVICES) {
      // Long enough that the pod is deleted in mid-stream, and enough runs that each pod has one.
      const load = client.startLoad(`http://${release.fullName}-gateway`, { loops: 10, chunks: 240 });
      await pause(2000);
      const [pod = ""] = await release.pods(service);
      await release.kubectl("delete", "pod", pod, "--wait=false");
      const report = await load.finish();
      logReport(`${service} deleted`, report);
      expect([service, report]).toEqual([service, WITHOUT_FAULT]);
      if (service === "gateway") expect(report.reconnects).toBeGreaterThan(0);
      await release.untilRolledOut(service);
    }
  });

  it("spreads over three gateways and runners, and goes back to one, without a failed run", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    // Callers find new runners when their connections end; five minutes would be long here.
    await release.apply({ runner: { settings: { GRPC_MAX_CONNECTION_AGE_MS: 3000 } } });
    const load = (await world.client()).startLoad(`http://${release.fullName}-gateway`, { loops: 4, chunks: 40 });
    for (const replicas of [3, 1]) {
      for (const service of ["gateway", "runner"]) {
        await release.scale(service, replicas);
      }
      if (replicas === 3) {
        await expect.poll(() => ranOn(release), { timeout: 90_000, interval: 2000 }).toBe(3);
      }
    }
    const report = await load.finish();
    logReport("scaled", report);
    expect(report).toEqual(WITHOUT_FAULT);
  });
});

async function podsOf(release: Release): Promise<readonly string[]> {
  const pods = await Promise.all(SERVICES.map((service) => release.pods(service)));
  return pods.flat().sort();
}

/** Number of runners on which runs have ended, by their own metrics. */
async function ranOn(release: Release): Promise<number> {
  const pods = await release.pods("runner");
  const texts = await Promise.all(pods.map((pod) => release.fetchIn(pod, "http://127.0.0.1:9090/metrics")));
  return texts.filter((text) => /^fairlead_runs_total\{.*succeeded.*\} [1-9]/m.test(text)).length;
}
