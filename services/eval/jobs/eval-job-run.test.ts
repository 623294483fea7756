import { expect, it, onTestFinished, vi } from "vitest";
import type { TenantScoped } from "#kit/names/tenant.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import type { QuotaSubject } from "#shared/quota/quota-limits.ts";
import { newEvalJob } from "#test/contract/evaluations/eval-job-world.ts";
import { createRunnerWorld } from "#test/helpers/worlds/runner-world.ts";
import { EvalJobRun } from "./eval-job-run.ts";
import { NO_CREDENTIALS } from "./worker-deps.ts";
import { evalWorkerConfigSchema } from "./worker-settings.ts";

async function work(attempts: number, tenant: TenantScoped = {}) {
  const { store, service } = await createRunnerWorld(["one", "two"]);
  const clock = new FixedClock();
  const evalJobStore = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock });
  await evalJobStore.create(newEvalJob("j1", { metrics: [], ...tenant }));
  const claim = (holder: string) => evalJobStore.claim({ ...tenant, jobId: "j1" }, { holder, leaseMs: 30_000 });
  const claimed = (await claim("one")) ?? expect.unreachable();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const evalStore = new InMemoryEvalStore({ clock });
  const subjects: QuotaSubject[] = [];
  const run = new EvalJobRun(
    {
      evalJobStore,
      evalStore,
      modelBudget: { ofSubject: (subject) => void subjects.push(subject) },
      sessionService: store,
      runJournal: store,
      runnerService: service,
      artifactService: new InMemoryArtifactService({ clock }),
      clock,
      logger: silentLogger,
      sleep,
      config: { ...loadConfig(evalWorkerConfigSchema, {}), RUN_TIMEOUT_MS: 1000 },
      holder: "one",
      credentialsOf: () => NO_CREDENTIALS,
    },
    { ...claimed, job: { ...claimed.job, attempts } },
  );
  return { run, claim, store, evalStore, subjects, job: () => evalJobStore.get({ ...tenant, jobId: "j1" }) };
}

it("of a job that has cost 50 workers is not begun again, and leaves no timer", async () => {
  const { run, job } = await work(51);
  await run.ended;
  expect(await job()).toMatchObject({ status: "failed", error: { reason: "EVAL_WORKERS_LOST" } });
  expect(vi.getTimerCount()).toBe(0);
});

it("that is handed over ends without a result, is free for the next worker, and leaves no timer", async () => {
  const { run, claim } = await work(1);
  run.handOver();
  await run.ended;
  expect(await claim("two")).toMatchObject({ lease: { holder: "two" }, job: { attempts: 1 } });
  expect(vi.getTimerCount()).toBe(0);
});

it("of a tenant's job has its sessions, budget and result in the tenant", async () => {
  const acme = { tenantId: "acme" };
  const { run, job, store, evalStore, subjects } = await work(1, acme);
  await run.ended;
  expect(await job()).toMatchObject({ ...acme, status: "succeeded" });
  const count = async (tenant: TenantScoped) => ({
    runs: (await store.list(tenant)).runs.length,
    results: (await evalStore.listEvalSetResults({ ...tenant, appName: "app" })).length,
  });
  expect([await count(acme), await count({})]).toEqual([
    { runs: 2, results: 1 },
    { runs: 0, results: 0 },
  ]);
  expect(subjects).toMatchObject([{ ...acme, userId: "ada", appName: "app" }]);
});
