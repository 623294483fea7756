import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LoadReport } from "#test/e2e/suite/load.ts";
import { ClusterWorld } from "./cluster-world.ts";
import { noCluster } from "./settings.ts";

const REPLICATED = { gateway: { replicas: 2 }, runner: { replicas: 2 }, session: { replicas: 2 } };
/** Makes new pods of every service. */
const CHANGED = { ...REPLICATED, defaults: { podAnnotations: { "example.com/change": "1" } } };
const SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval"];
const WITHOUT_FAULT = {
  runs: expect.any(Number),
  retries: expect.any(Number),
  reconnects: expect.any(Number),
  faults: [],
};

function told(what: string, report: LoadReport): void {
  process.stderr.write(`${what}: ${JSON.stringify({ ...report, faults: report.faults.length })}\n`);
}

describe.skipIf(noCluster(process.env) !== undefined)("a release under load", { timeout: 600_000 }, () => {
  it("is upgraded and rolled back without a failed run, a lost event or a doubled one", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply(REPLICATED);
    const load = (await world.client()).startLoad(`http://${release.fullName}-gateway`, { loops: 4, pieces: 40 });
    const before = await Promise.all(SERVICES.map((service) => release.pods(service)));
    await release.apply(CHANGED);
    const after = await Promise.all(SERVICES.map((service) => release.pods(service)));
    expect(after.flat().filter((pod) => before.flat().includes(pod))).toEqual([]);
    await release.rollBack();
    const report = await load.finish();
    told("upgrade and rollback", report);
    expect(report).toEqual(WITHOUT_FAULT);
    expect(report.runs).toBeGreaterThan(8);
  });

  it("loses no run and no event when a pod of any service is deleted, and streams go on at another gateway", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    // A gateway that gives streams no time to end, so that they are cut.
    await release.apply({ ...REPLICATED, gateway: { replicas: 2, preStopSeconds: 1, drainSeconds: 0 } });
    const client = await world.client();
    for (const service of SERVICES) {
      // Long enough that the pod goes in mid-stream.
      const load = client.startLoad(`http://${release.fullName}-gateway`, { loops: 4, pieces: 240 });
      await pause(2000);
      const [pod = ""] = await release.pods(service);
      await release.kubectl("delete", "pod", pod, "--wait=false");
      const report = await load.finish();
      told(`${service} deleted`, report);
      expect([service, report]).toEqual([service, WITHOUT_FAULT]);
      if (service === "gateway") expect(report.reconnects).toBeGreaterThan(0);
      await release.kubectl("rollout", "status", `deployment/${release.fullName}-${service}`, "--timeout=120s");
    }
  });

  it("spreads over three gateways and runners, and goes back to one, without a failed run", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    // Callers find new runners when their connections end; five minutes would be long here.
    await release.apply({ runner: { settings: { GRPC_MAX_CONNECTION_AGE_MS: 3000 } } });
    const load = (await world.client()).startLoad(`http://${release.fullName}-gateway`, { loops: 4, pieces: 40 });
    for (const replicas of [3, 1]) {
      for (const service of ["gateway", "runner"]) {
        const deployment = `deployment/${release.fullName}-${service}`;
        await release.kubectl("scale", deployment, `--replicas=${replicas}`);
        await release.kubectl("rollout", "status", deployment, "--timeout=120s");
      }
      if (replicas === 3) {
        await expect.poll(() => ranOn(release), { timeout: 90_000, interval: 2000 }).toBe(3);
      }
    }
    const report = await load.finish();
    told("scaled", report);
    expect(report).toEqual(WITHOUT_FAULT);
  });
});

/** On how many runners runs have ended, by their own metrics. */
async function ranOn(release: {
  pods(service: string): Promise<readonly string[]>;
  kubectl(...args: readonly string[]): Promise<string>;
}): Promise<number> {
  const script = `fetch("http://127.0.0.1:9090/metrics").then((answer) => answer.text()).then((text) => console.log(/^agentplane_runs_total\\{.*succeeded.*\\} [1-9]/m.test(text)))`;
  const answers = (await release.pods("runner")).map((pod) => release.kubectl("exec", pod, "--", "node", "-e", script));
  return (await Promise.all(answers)).filter((answer) => answer.trim() === "true").length;
}
