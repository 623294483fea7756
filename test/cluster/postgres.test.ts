import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";
import { PostgresPod } from "./postgres-pod.ts";

const WITHOUT_FAULT = {
  runs: expect.any(Number),
  retries: expect.any(Number),
  reconnects: expect.any(Number),
  faults: [],
};

const IMAGE = process.env["E2E_POSTGRES_IMAGE"] ?? "postgres:17";
const ON_POSTGRES = { session: "postgres", memory: "postgres", eval: "postgres", artifact: "memory" };

describe.skipIf(noCluster(process.env) !== undefined)("a release on Postgres", { timeout: 600_000 }, () => {
  it("needs no cloud, is upgraded and rolled back, and loses no run and no event when the database is killed", async () => {
    await using world = await ClusterWorld.create();
    await using postgres = await PostgresPod.start({ namespace: world.namespace, image: IMAGE });
    const release = world.release();
    const values = {
      dev: { firestore: { enabled: false }, gcs: { enabled: false } },
      stores: ON_POSTGRES,
      database: { url: postgres.url, migrationJob: true },
      ...{ gateway: { replicas: 2 }, runner: { replicas: 2 }, session: { replicas: 2 } },
    };
    await release.apply(values);
    const gateway = `http://${release.fullName}-gateway`;
    const client = await world.client();

    const load = client.startLoad(gateway, { loops: 4, chunks: 240 });
    await pause(3000);
    await postgres.kill();
    await release.apply({ ...values, defaults: { podAnnotations: { "example.com/change": "1" } } });
    await release.rollBack();
    const report = await load.finish();
    process.stderr.write(`on Postgres: ${JSON.stringify({ ...report, faults: report.faults.length })}\n`);
    expect(report).toEqual(WITHOUT_FAULT);
    expect(report.runs).toBeGreaterThan(8);
  });

  it("needs no Redis: streams continue when the database, a gateway or a runner is lost in their middle", async () => {
    await using world = await ClusterWorld.create();
    await using postgres = await PostgresPod.start({ namespace: world.namespace, image: IMAGE });
    const release = world.release();
    await release.apply({
      dev: { firestore: { enabled: false }, gcs: { enabled: false }, redis: { enabled: false } },
      ...{ transport: "postgres", stores: ON_POSTGRES },
      database: { url: postgres.url, migrationJob: true },
      ...{ gateway: { replicas: 2 }, runner: { replicas: 2 }, session: { replicas: 2 } },
    });
    expect(await release.kubectl("get", "pods", "--output=name")).not.toContain("redis");
    const client = await world.client();
    const loss = { gateway: () => lose("gateway"), runner: () => lose("runner"), database: () => postgres.kill() };
    const lose = async (service: string): Promise<void> => {
      const [pod = ""] = await release.pods(service);
      await release.kubectl("delete", "pod", pod, "--grace-period=0", "--force");
      await release.untilRolledOut(service);
    };
    for (const [what, happens] of Object.entries(loss)) {
      const load = client.startLoad(`http://${release.fullName}-gateway`, { loops: 6, chunks: 240 });
      await pause(3000);
      await happens();
      const report = await load.finish();
      process.stderr.write(
        `${what} lost, without Redis: ${JSON.stringify({ ...report, faults: report.faults.length })}\n`,
      );
      expect([what, report]).toEqual([what, WITHOUT_FAULT]);
    }
  });
});
