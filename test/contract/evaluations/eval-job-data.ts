import { describe, expect, it } from "vitest";
import type { EvalJobStore, NewEvalJob } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CLAIM, caseResult, LEASE_MS, newEvalJob, QUESTION, type withEvalJobStore } from "./eval-job-world.ts";
import { evalCase } from "./eval-store.ts";

const ACME = { tenantId: "acme" };
const OF_ADA = { ...ACME, userId: "ada" };
const LOST = { reason: "LEASE_LOST" };

/** Deletes in the smallest steps, and returns how many jobs were deleted. */
async function deleteAll(store: EvalJobStore, owner: DataOwner): Promise<number> {
  for (let deleted = 0; ; ) {
    const step = await tenantDataOf(store).deleteData({ ...owner, limit: 1 });
    deleted += step.deleted;
    if (step.isDone) return deleted;
  }
}

async function listed(store: EvalJobStore, owner: DataOwner): Promise<readonly unknown[]> {
  const { items } = await tenantDataOf(store).listData({ ...owner, pageSize: 100 });
  return items.map(({ jobId }) => jobId);
}

/** A job with a case that is done, one that runs, and an answer of a judge. */
async function fill(store: EvalJobStore, jobId: string, tenant: Partial<DataOwner>, requester = { userId: "ada" }) {
  const key = { ...tenant, jobId };
  await store.create(newEvalJob(jobId, { ...tenant, requester, ...requester, idempotencyKey: jobId }));
  const claimed = await store.claim(key, CLAIM);
  if (claimed === undefined) throw new Error(`${jobId} cannot be claimed.`);
  const { lease } = claimed;
  await store.beginCase(lease, { index: 0, sessionId: "s0" });
  await store.recordAnswer(lease, QUESTION, "yes");
  await store.finishCase(lease, 0, caseResult("a"));
  await store.beginCase(lease, { index: 1, sessionId: "s1" });
  return { key, lease };
}

/** What the methods of the store find of the job's rows. */
async function found(store: EvalJobStore, key: { readonly jobId: string; readonly tenantId?: string }) {
  const none = () => "none";
  return {
    job: (await store.get(key))?.status ?? "none",
    cases: await store.listCases(key).then(({ length }) => length, none),
    results: await store.listResults(key).then(({ length }) => length, none),
    input: await store.getCaseInput(key, 1).then(({ evalId }) => evalId, none),
    answer: (await store.getAnswer(key, QUESTION)) ?? "none",
  };
}

const ALL = { job: "running", cases: 2, results: 1, input: "b", answer: "yes" };
const NOTHING = { job: "none", cases: "none", results: "none", input: "none", answer: "none" };

/** The jobs of a tenant and of a user are deleted with all that belongs to them, whoever runs them. */
export function evalJobData(withStore: ReturnType<typeof withEvalJobStore>): void {
  describe("the jobs of a tenant or a user", () => {
    it(
      "are deleted with all that belongs to them, and no others",
      withStore(async ({ store, clock }) => {
        verifies("tenants:delete", "tenants:delete:evaluations");
        const { key: first } = await fill(store, "j1", ACME);
        const { key: second } = await fill(store, "j2", ACME);
        const { key: bobs } = await fill(store, "j3", ACME, { userId: "bob" });
        const { key: other } = await fill(store, "j1", { tenantId: "acme2" });
        const { key: local } = await fill(store, "j1", {});
        await store.create(newEvalJob("j4", { ...ACME, requester: {}, userId: "bob" }));
        await store.create(newEvalJob("j5", ACME));

        expect(await deleteAll(store, OF_ADA)).toBe(3);
        for (const key of [first, second, { ...ACME, jobId: "j5" }]) expect(await found(store, key)).toEqual(NOTHING);
        for (const key of [bobs, other, local]) expect(await found(store, key)).toEqual(ALL);
        expect(await listed(store, OF_ADA)).toEqual([]);
        expect(await listed(store, ACME)).toEqual(["j3", "j4"]);
        expect(await deleteAll(store, OF_ADA)).toBe(0);

        expect(await deleteAll(store, ACME)).toBe(2);
        expect(await found(store, bobs)).toEqual(NOTHING);
        for (const key of [other, local]) expect(await found(store, key)).toEqual(ALL);
        clock.advance(LEASE_MS);
        expect(await store.listClaimable(10)).toEqual([other, local]);
        // Nothing is left of them that would be pruned, and their idempotency keys are free.
        expect(await store.prune(clock.now() + 1, 10)).toBe(0);
        const again = newEvalJob("j6", { ...ACME, idempotencyKey: "j1", fingerprint: "another" });
        expect((await store.create(again)).jobId).toBe("j6");
      }),
    );

    it(
      "cannot be written by a worker from the first step on",
      withStore(async ({ store, clock }) => {
        verifies("tenants:delete:evaluations");
        const { key, lease } = await fill(store, "j1", ACME);
        const data = tenantDataOf(store);
        const refused = async () => {
          await expect(store.renew(lease, LEASE_MS)).rejects.toMatchObject(LOST);
          await expect(store.beginCase(lease, { index: 1, sessionId: "s2" })).rejects.toMatchObject(LOST);
          await expect(store.finishCase(lease, 1, caseResult("b"))).rejects.toMatchObject(LOST);
          await expect(store.recordAnswer(lease, { ...QUESTION, sample: 0 }, "late")).rejects.toMatchObject(LOST);
          await expect(store.finish(lease, { status: "succeeded" })).rejects.toMatchObject(LOST);
          await expect(store.release(lease)).rejects.toMatchObject(LOST);
        };
        expect(await data.deleteData({ ...ACME, limit: 1 })).toEqual({ deleted: 0, isDone: false });
        expect(await store.get(key)).toMatchObject({ status: "cancelled" });
        await refused();
        clock.advance(LEASE_MS);
        expect(await store.listClaimable(10)).toEqual([]);
        expect(await store.claim(key, CLAIM)).toBeUndefined();
        expect(await deleteAll(store, ACME)).toBe(1);
        await refused();
        expect(await found(store, key)).toEqual(NOTHING);
      }),
    );

    it(
      "lose the cases of a deleted user if another requester has them, and end",
      withStore(async ({ store, clock }) => {
        verifies("tenants:delete:users-of-cases");
        const caseOf = (evalId: string, userId?: string) => {
          const { sessionInput: _, ...given } = evalCase(evalId);
          return { ...given, ...(userId !== undefined && { sessionInput: { appName: "app", userId } }) };
        };
        const start = async (jobId: string, members: Partial<NewEvalJob>) => {
          const cases = [caseOf("a", "ada"), caseOf("b", "bob"), caseOf("c"), caseOf("d", "ada")];
          const { userId: _, ...given } = newEvalJob(jobId, { ...ACME, requester: {}, cases, ...members });
          await store.create({ ...given, ...members });
          const claimed = await store.claim({ ...ACME, jobId }, CLAIM);
          if (claimed === undefined) throw new Error(`${jobId} cannot be claimed.`);
          await store.recordAnswer(claimed.lease, QUESTION, `of ${jobId}`);
          for (const index of given.cases.keys()) {
            await store.beginCase(claimed.lease, { index, sessionId: `s${index}` });
            if (index > 0) await store.finishCase(claimed.lease, index, caseResult(String(index)));
          }
          return { key: { ...ACME, jobId }, lease: claimed.lease };
        };
        const open = await start("open", {});
        const done = await start("done", {});
        await store.finish(done.lease, { status: "succeeded" });
        const asBob = await start("as-bob", { userId: "bob", requester: { userId: "bob" } });
        const other = await start("other", { cases: [caseOf("b", "bob"), caseOf("c")] });

        expect(await deleteAll(store, OF_ADA)).toBe(3);
        expect(await store.get(open.key)).toMatchObject({ status: "failed", error: { reason: "DATA_IN_DELETION" } });
        expect(await store.get(done.key)).toMatchObject({ status: "succeeded", counts: { total: 4, done: 3 } });
        await expect(store.finishCase(open.lease, 0, caseResult("a"))).rejects.toMatchObject(LOST);
        for (const { key } of [open, done, asBob]) {
          const inputs = await Promise.all(
            [0, 1, 2, 3].map((index) => store.getCaseInput(key, index).catch(() => "-")),
          );
          expect(inputs).toEqual(["-", expect.objectContaining({}), expect.objectContaining({}), "-"]);
          expect((await store.listResults(key)).map(({ index }) => index)).toEqual([1, 2]);
          expect(await store.getAnswer(key, QUESTION)).toBeUndefined();
          expect(await store.listCases(key)).toHaveLength(4);
        }
        expect(await store.get(other.key)).toMatchObject({ status: "running" });
        expect(await store.getAnswer(other.key, QUESTION)).toBe("of other");
        expect(await deleteAll(store, OF_ADA)).toBe(0);
        expect(await deleteAll(store, { ...ACME, userId: "test_user_id" })).toBe(3);
        for (const { key } of [open, done]) expect(await store.listResults(key)).toMatchObject([{ index: 1 }]);
        expect(await store.prune(clock.now() + 1, 10)).toBe(4);
      }),
    );

    it(
      "are deleted after their worker has stored the result of the set, or was lost",
      withStore(async ({ store, clock }) => {
        verifies("tenants:delete:evaluations");
        const { key, lease } = await fill(store, "j1", ACME);
        const { lease: lost } = await fill(store, "j2", ACME);
        for (const each of [lease, lost]) await store.finishCase(each, 1, caseResult("b"));
        const data = tenantDataOf(store);
        for (let call = 0; call < 2; call += 1)
          expect(await data.deleteData({ ...ACME, limit: 10 })).toEqual({ deleted: 0, isDone: false });
        expect(await store.get(key)).toMatchObject({ status: "running", cancelRequested: true });
        await store.finish(lease, { status: "cancelled" });
        expect(await data.deleteData({ ...ACME, limit: 100 })).toEqual({ deleted: 1, isDone: false });
        clock.advance(LEASE_MS);
        expect(await data.deleteData({ ...ACME, limit: 100 })).toEqual({ deleted: 1, isDone: true });
        await expect(store.finish(lost, { status: "succeeded" })).rejects.toMatchObject(LOST);
      }),
    );
  });
}
