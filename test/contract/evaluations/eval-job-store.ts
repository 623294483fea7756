import { describe, expect, it } from "vitest";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { evalJobData } from "./eval-job-data.ts";
import { evalJobLeases } from "./eval-job-leases.ts";
import {
  CLAIM,
  caseResult,
  createdJob,
  type EvalJobStoreContract,
  LEASE_MS,
  NOW_MS,
  newEvalJob,
  QUESTION,
  withEvalJobStore,
} from "./eval-job-world.ts";
import { evalCase } from "./eval-store.ts";

export function evalJobStoreContract(contract: EvalJobStoreContract): void {
  const withStore = withEvalJobStore(contract);

  evalJobLeases(withStore);
  evalJobData(withStore);

  describe("jobs of evaluations", () => {
    it(
      "are created once, with their cases, and read as they were created",
      withStore(async ({ store }) => {
        expect(await store.create(newEvalJob("j1", { permit: "secret" }))).toEqual(createdJob("j1"));
        expect(await store.create(newEvalJob("j1"))).toEqual(createdJob("j1"));
        expect(await store.get({ jobId: "j1" })).toEqual(createdJob("j1"));
        expect(await store.get({ jobId: "j2" })).toBeUndefined();
        expect(await store.listCases({ jobId: "j1" })).toEqual([
          { index: 0, evalId: "a", status: "pending", attempts: 0, sequence: 1 },
          { index: 1, evalId: "b", status: "pending", attempts: 0, sequence: 1 },
        ]);
        expect(await store.getCaseInput({ jobId: "j1" }, 1)).toEqual(evalCase("b"));
        await expect(store.getCaseInput({ jobId: "j1" }, 2)).rejects.toMatchObject({ reason: "EVAL_JOB_NOT_FOUND" });
      }),
    );

    it(
      "are one under an idempotency key, which another request cannot use",
      withStore(async ({ store }) => {
        const idempotencyKey = "once";
        await store.create(newEvalJob("j1", { idempotencyKey }));
        expect(await store.create(newEvalJob("j2", { idempotencyKey }))).toEqual(createdJob("j1"));
        await expect(store.create(newEvalJob("j3", { idempotencyKey, fingerprint: "g" }))).rejects.toMatchObject({
          reason: "IDEMPOTENCY_KEY_REUSED",
        });
        const bob = { userId: "bob" };
        expect((await store.create(newEvalJob("j4", { idempotencyKey, requester: bob }))).jobId).toBe("j4");
        expect((await store.create(newEvalJob("j5", { idempotencyKey, tenantId: "acme" }))).jobId).toBe("j5");
        expect((await store.create(newEvalJob("j6", { idempotencyKey, appName: "other" }))).jobId).toBe("j6");
        expect(await store.get({ jobId: "j2" })).toBeUndefined();
      }),
    );

    it(
      "are one when two are created under an idempotency key at the same time",
      withStore(async ({ store }) => {
        const ids = ["j1", "j2", "j3", "j4"];
        const jobs = await Promise.all(ids.map((id) => store.create(newEvalJob(id, { idempotencyKey: "once" }))));
        expect(new Set(jobs.map(({ jobId }) => jobId)).size).toBe(1);
        expect((await store.list({})).jobs).toHaveLength(1);
      }),
    );

    it(
      "of one set never share the name of a result, also if they begin in one millisecond",
      withStore(async ({ store }) => {
        const jobs = await Promise.all(["j1", "j2", "j3"].map((id) => store.create(newEvalJob(id))));
        const times = jobs.map(({ resultTimestamp }) => resultTimestamp).sort();
        expect(times).toEqual([1787140002.25, 1787140002.250001, 1787140002.250002]);
        const other = await store.create(newEvalJob("j4", { evalSetId: "other" }));
        expect(other.resultTimestamp).toBe(1787140002.25);
      }),
    );

    it(
      "are listed by tenant, app, set, requester and status, the newest first, in pages",
      withStore(async ({ store }) => {
        await store.create(newEvalJob("j1"));
        await store.create(newEvalJob("j2", { evalSetId: "other" }));
        await store.create(newEvalJob("j3", { requester: { userId: "bob" } }));
        await store.create(newEvalJob("j4", { appName: "second" }));
        await store.create(newEvalJob("j5", { tenantId: "acme" }));
        await store.cancel({ jobId: "j1" });
        const ids = async (request: Parameters<EvalJobStore["list"]>[0]) =>
          (await store.list(request)).jobs.map(({ jobId }) => jobId);
        expect(await ids({})).toEqual(["j4", "j3", "j2", "j1"]);
        expect(await ids({ tenantId: "acme" })).toEqual(["j5"]);
        expect(await ids({ appName: "app" })).toEqual(["j3", "j2", "j1"]);
        expect(await ids({ appName: "app", evalSetId: "smoke" })).toEqual(["j3", "j1"]);
        expect(await ids({ userId: "bob" })).toEqual(["j3"]);
        expect(await ids({ statuses: ["cancelled"] })).toEqual(["j1"]);
        const first = await store.list({ pageSize: 3 });
        expect([first.jobs.map(({ jobId }) => jobId), first.nextPageToken]).toEqual([["j4", "j3", "j2"], "j2"]);
        expect(await ids({ pageSize: 3, pageToken: "j2" })).toEqual(["j1"]);
      }),
    );

    it(
      "are of one tenant: the same id of another is another job",
      withStore(async ({ store }) => {
        await store.create(newEvalJob("j1", { tenantId: "acme" }));
        expect(await store.get({ jobId: "j1" })).toBeUndefined();
        await expect(store.cancel({ jobId: "j1" })).rejects.toMatchObject({ reason: "EVAL_JOB_NOT_FOUND" });
        await expect(store.listCases({ jobId: "j1" })).rejects.toMatchObject({ reason: "EVAL_JOB_NOT_FOUND" });
        await expect(store.listResults({ jobId: "j1" })).rejects.toMatchObject({ reason: "EVAL_JOB_NOT_FOUND" });
        expect(await store.listClaimable(10)).toEqual([{ tenantId: "acme", jobId: "j1" }]);
      }),
    );

    it(
      "with ids that are not identifiers are refused",
      withStore(async ({ store }) => {
        const invalid = { reason: "INVALID_IDENTIFIER" };
        await expect(store.create(newEvalJob("a\nb"))).rejects.toMatchObject(invalid);
        await expect(store.create(newEvalJob("j", { evalSetId: "a b" }))).rejects.toMatchObject(invalid);
        await expect(store.get({ jobId: "" })).rejects.toMatchObject(invalid);
        await expect(store.get({ tenantId: "A", jobId: "j" })).rejects.toMatchObject(invalid);
      }),
    );
  });

  describe("the cases of a job", () => {
    it(
      "are done once, with their results",
      withStore(async ({ store, claim }) => {
        await store.create(newEvalJob("j1"));
        const { lease } = await claim("j1");
        const begun = { index: 0, evalId: "a", status: "running", attempts: 1, sessionId: "s", sequence: 3 };
        expect(await store.beginCase(lease, { index: 0, sessionId: "s" })).toEqual(begun);
        expect((await store.get({ jobId: "j1" }))?.counts).toEqual({
          total: 2,
          running: 1,
          done: 0,
          passed: 0,
          failed: 0,
        });
        const done = await store.finishCase(lease, 0, caseResult("a"));
        expect(done.counts).toEqual({ total: 2, running: 0, done: 1, passed: 1, failed: 0 });
        const again = await store.finishCase(lease, 0, caseResult("a", { finalEvalStatus: 2 }));
        expect(again).toEqual(done);
        const first = { ...begun, status: "done", sequence: 4, finalEvalStatus: 1 };
        expect(await store.beginCase(lease, { index: 0, sessionId: "other" })).toEqual(first);
        const second = { index: 1, evalId: "b", status: "pending", attempts: 0, sequence: 1 };
        expect(await store.listCases({ jobId: "j1" })).toEqual([first, second]);
        expect(await store.listCases({ jobId: "j1", pageSize: 1 })).toEqual([first]);
        expect(await store.listCases({ jobId: "j1", afterIndex: 0 })).toEqual([second]);
        expect(await store.listResults({ jobId: "j1" })).toEqual([{ index: 0, result: caseResult("a") }]);
        expect(await store.listResults({ jobId: "j1", afterIndex: 0 })).toEqual([]);
      }),
    );

    it(
      "count a case once that its worker begins again, and again for another worker",
      withStore(async ({ store, clock, claim }) => {
        await store.create(newEvalJob("j1"));
        const counted = async () => {
          const { running, done } = (await store.get({ jobId: "j1" }))?.counts ?? {};
          return [running, done];
        };
        const { lease } = await claim("j1");
        for (const sessionId of ["s1", "s2", "s3"]) {
          const begun = await store.beginCase(lease, { index: 0, sessionId });
          expect(begun).toMatchObject({ status: "running", attempts: Number(sessionId.slice(1)), sessionId });
          expect(await store.listCases({ jobId: "j1", pageSize: 1 })).toEqual([begun]);
          expect(await counted()).toEqual([1, 0]);
        }
        await store.beginCase(lease, { index: 1, sessionId: "s" });
        expect(await counted()).toEqual([2, 0]);

        clock.advance(LEASE_MS);
        const next = await claim("j1", "two");
        expect(await counted()).toEqual([0, 0]);
        for (const sessionId of ["s4", "s5"]) {
          await store.beginCase(next.lease, { index: 0, sessionId });
          expect(await counted()).toEqual([1, 0]);
        }
        await store.finishCase(next.lease, 0, caseResult("a"));
        expect(await counted()).toEqual([0, 1]);
      }),
    );

    it(
      "are counted right when several end at the same time",
      withStore(async ({ store, claim }) => {
        const cases = Array.from({ length: 12 }, (_, index) => evalCase(`c${index}`));
        await store.create(newEvalJob("j1", { cases }));
        const { lease } = await claim("j1");
        await Promise.all(
          cases.map(async ({ evalId }, index) => {
            await store.beginCase(lease, { index, sessionId: `s${index}` });
            await store.finishCase(lease, index, caseResult(evalId, { finalEvalStatus: index < 5 ? 2 : 1 }));
          }),
        );
        const counts = { total: 12, running: 0, done: 12, passed: 7, failed: 5 };
        expect((await store.get({ jobId: "j1" }))?.counts).toEqual(counts);
      }),
    );

    it(
      "may be larger than a document of a database",
      { timeout: 60_000 },
      withStore(async ({ store, claim }) => {
        const long = "ü☀😀".repeat(400_000);
        await store.create(newEvalJob("j1", { cases: [evalCase("a", long)] }));
        expect(await store.getCaseInput({ jobId: "j1" }, 0)).toEqual(evalCase("a", long));
        const { lease } = await claim("j1");
        await store.finishCase(lease, 0, caseResult("a", { sessionDetails: { long } }));
        const results = await store.listResults({ jobId: "j1" });
        expect(results).toEqual([{ index: 0, result: caseResult("a", { sessionDetails: { long } }) }]);
        expect(await store.recordAnswer(lease, QUESTION, long)).toBe(long);
        expect(await store.getAnswer({ jobId: "j1" }, QUESTION)).toBe(long);
      }),
    );
  });

  describe("the answers of judges", () => {
    it(
      "are kept by their questions, and the first one counts",
      withStore(async ({ store, claim }) => {
        await store.create(newEvalJob("j1"));
        await store.create(newEvalJob("j2"));
        const { lease } = await claim("j1");
        expect(await store.getAnswer({ jobId: "j1" }, QUESTION)).toBeUndefined();
        expect(await store.recordAnswer(lease, QUESTION, "yes")).toBe("yes");
        expect(await store.recordAnswer(lease, QUESTION, "no")).toBe("yes");
        expect(await store.getAnswer({ jobId: "j1" }, QUESTION)).toBe("yes");
        expect(await store.getAnswer({ jobId: "j2" }, QUESTION)).toBeUndefined();
        const others = [
          { ...QUESTION, evalId: "b" },
          { ...QUESTION, metricName: "hallucinations_v1" },
          { ...QUESTION, invocation: 1 },
          { ...QUESTION, step: "other" },
          { ...QUESTION, sample: 4 },
        ];
        for (const other of others) expect(await store.getAnswer({ jobId: "j1" }, other)).toBeUndefined();
      }),
    );
  });

  describe("cancelling a job", () => {
    it(
      "ends one that nobody runs",
      withStore(async ({ store }) => {
        await store.create(newEvalJob("j1"));
        const cancelled = await store.cancel({ jobId: "j1" });
        expect(cancelled).toEqual({
          ...createdJob("j1"),
          status: "cancelled",
          cancelRequested: true,
          endedTime: NOW_MS,
          sequence: 2,
        });
        expect(await store.cancel({ jobId: "j1" })).toEqual(cancelled);
        expect(await store.listClaimable(10)).toEqual([]);
        await expect(store.cancel({ jobId: "none" })).rejects.toMatchObject({ reason: "EVAL_JOB_NOT_FOUND" });
      }),
    );

    it(
      "asks the worker of another, which sees it with its next write",
      withStore(async ({ store, clock, claim }) => {
        await store.create(newEvalJob("j1"));
        const { lease } = await claim("j1");
        expect(await store.cancel({ jobId: "j1" })).toMatchObject({ status: "running", cancelRequested: true });
        expect((await store.renew(lease, LEASE_MS)).cancelRequested).toBe(true);
        expect((await store.finish(lease, { status: "cancelled" })).status).toBe("cancelled");
        await store.create(newEvalJob("j2"));
        await claim("j2");
        clock.advance(LEASE_MS);
        expect((await store.cancel({ jobId: "j2" })).status).toBe("cancelled");
      }),
    );
  });

  describe("old jobs", () => {
    it(
      "are removed with all that belongs to them, and no others",
      withStore(async ({ store, clock, claim }) => {
        await store.create(newEvalJob("j1", { idempotencyKey: "once" }));
        await store.create(newEvalJob("j2"));
        const { lease } = await claim("j1");
        await store.recordAnswer(lease, QUESTION, "yes");
        await store.finishCase(lease, 0, caseResult("a"));
        await store.finish(lease, { status: "succeeded" });
        clock.advance(1000);
        await store.create(newEvalJob("j3"));
        await store.cancel({ jobId: "j3" });
        expect(await store.prune(NOW_MS, 10)).toBe(0);
        expect(await store.prune(NOW_MS + 1, 10)).toBe(1);
        expect((await store.list({})).jobs.map(({ jobId }) => jobId)).toEqual(["j3", "j2"]);
        expect(await store.getAnswer({ jobId: "j1" }, QUESTION)).toBeUndefined();
        expect((await store.create(newEvalJob("j4", { idempotencyKey: "once" }))).jobId).toBe("j4");
      }),
    );
  });

  it(
    "jobs outlast the process",
    withStore(async ({ store, reopen, claim, clock }) => {
      if (reopen === undefined) return;
      await store.create(newEvalJob("j1", { permit: "secret" }));
      const { lease } = await claim("j1");
      await store.finishCase(lease, 0, caseResult("a"));
      await store.recordAnswer(lease, QUESTION, "yes");
      const before = await store.get({ jobId: "j1" });
      const again = await reopen();
      expect(await again.get({ jobId: "j1" })).toEqual(before);
      expect(await again.getAnswer({ jobId: "j1" }, QUESTION)).toBe("yes");
      clock.advance(LEASE_MS);
      expect((await again.claim({ jobId: "j1" }, { ...CLAIM, holder: "two" }))?.permit).toBe("secret");
    }),
  );
}
