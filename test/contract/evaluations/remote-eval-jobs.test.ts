import { describe, expect, it } from "vitest";
import { RemoteEvalJobs } from "#adapters/grpc/remote-eval-jobs.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { TenantData } from "#ports/tenants/tenant-data.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { overLoopback } from "#test/helpers/servers/loopback.ts";
import { evalJobStoreContract } from "./eval-job-store.ts";
import { caseResult, newEvalJob } from "./eval-job-world.ts";

async function open(clock: Clock) {
  const store = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock });
  const evaluations = new InMemoryEvalStore({ clock });
  const server = createEvalServer({ evaluations, jobs: inMemoryEvalJobs(store), logger: silentLogger });
  const { port, dispose } = await overLoopback(server, (options) => new RemoteEvalJobs(options));
  return { store, port, dispose };
}

/** What clients do goes over gRPC; the worker is where the store is. */
function joined(remote: RemoteEvalJobs, store: EvalJobStore): EvalJobStore & TenantData {
  return {
    create: (job) => remote.start(job),
    get: (key) => remote.get(key),
    list: (request) => remote.list(request),
    listCases: (request) => remote.listCases(request),
    listResults: (request) => remote.listResults(request),
    listData: (request) => remote.listData(request),
    deleteData: (request) => remote.deleteData(request),
    cancel: (key) => remote.cancel(key),
    listClaimable: (limit) => store.listClaimable(limit),
    claim: (key, options) => store.claim(key, options),
    renew: (lease, leaseMs) => store.renew(lease, leaseMs),
    release: (lease) => store.release(lease),
    finish: (lease, end) => store.finish(lease, end),
    getCaseInput: (key, index) => store.getCaseInput(key, index),
    beginCase: (lease, begun) => store.beginCase(lease, begun),
    finishCase: (lease, index, result) => store.finishCase(lease, index, result),
    getAnswer: (key, question) => store.getAnswer(key, question),
    recordAnswer: (lease, question, answer) => store.recordAnswer(lease, question, answer),
    prune: (endedBefore, limit) => store.prune(endedBefore, limit),
  };
}

describe("RemoteEvalJobs in front of InMemoryEvalJobStore", () => {
  evalJobStoreContract({
    create: async (clock) => {
      const { store, port, dispose } = await open(clock);
      return { store: joined(port, store), dispose };
    },
  });

  it("describes what the service can use", async () => {
    const { port, dispose } = await open(systemClock);
    await using _ = { [Symbol.asyncDispose]: dispose };
    expect(await port.describe()).toMatchObject({ judgeModels: ["demo/judge"] });
  });

  it("streams the changes of a job to its end, from any of them on", async () => {
    const { store, port, dispose } = await open(systemClock);
    await using _ = { [Symbol.asyncDispose]: dispose };
    const { signal } = new AbortController();
    const key = { jobId: "j1" };
    await store.create(newEvalJob("j1"));
    const seen: unknown[] = [];
    for await (const change of port.watch(key, signal)) {
      if (change.kind === "case") {
        seen.push([change.case.evalId, change.case.status, change.case.sequence]);
        continue;
      }
      seen.push([change.job.status, change.job.sequence]);
      if (change.job.status !== "queued") continue;
      const claimed = await store.claim(key, { holder: "one", leaseMs: 60_000 });
      if (claimed === undefined) throw new Error("The job cannot be claimed.");
      await store.beginCase(claimed.lease, { index: 1, sessionId: "s" });
      await store.finishCase(claimed.lease, 1, caseResult("b"));
      await store.finish(claimed.lease, { status: "succeeded" });
    }
    expect(seen).toEqual([
      ["queued", 1],
      ["b", "done", 4],
      ["succeeded", 5],
    ]);
    const rest = await Array.fromAsync(port.watch({ ...key, afterSequence: 4 }, signal));
    expect(rest).toMatchObject([{ kind: "job", job: { status: "succeeded" } }]);
    expect(await Array.fromAsync(port.watch({ ...key, afterSequence: 5 }, signal))).toHaveLength(1);
  });

  it("ends a watch when its reader leaves, and refuses one of a job that does not exist", async () => {
    const { store, port, dispose } = await open(systemClock);
    await using _ = { [Symbol.asyncDispose]: dispose };
    await store.create(newEvalJob("j1"));
    const controller = new AbortController();
    const changes = port.watch({ jobId: "j1" }, controller.signal)[Symbol.asyncIterator]();
    await changes.next();
    const waiting = changes.next();
    controller.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    const none = port.watch({ jobId: "none" }, new AbortController().signal);
    await expect(Array.fromAsync(none)).rejects.toMatchObject({ reason: "EVAL_JOB_NOT_FOUND" });
  });
});
