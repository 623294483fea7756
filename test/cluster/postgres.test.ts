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

describe.skipIf(noCluster(process.env) !== undefined)("a release on Postgres", { timeout: 600_000 }, () => {
  it("needs no cloud, is upgraded and rolled back, and loses no run and no event when the database is killed", async () => {
    await using world = await ClusterWorld.create();
    await using postgres = await PostgresPod.start({
      namespace: world.namespace,
      image: process.env["E2E_POSTGRES_IMAGE"] ?? "postgres:17",
    });
    const release = world.release();
    const values = {
      dev: { firestore: { enabled: false }, gcs: { enabled: false } },
      stores: { session: "postgres", memory: "postgres", eval: "postgres", artifact: "memory" },
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
});
