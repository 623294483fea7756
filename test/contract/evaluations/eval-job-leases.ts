import { describe, expect, it } from "vitest";
import {
  CLAIM,
  caseResult,
  createdJob,
  LEASE_MS,
  NOW_MS,
  newEvalJob,
  QUESTION,
  type withEvalJobStore,
} from "./eval-job-world.ts";

/** Who may write to a job. */
export function evalJobLeases(withStore: ReturnType<typeof withEvalJobStore>): void {
  describe("the lease of a job", () => {
    it(
      "is given to one holder",
      withStore(async ({ store }) => {
        await store.create(newEvalJob("j1", { permit: "secret" }));
        const both = await Promise.all(
          ["one", "two"].map((holder) => store.claim({ jobId: "j1" }, { ...CLAIM, holder })),
        );
        const [claimed, ...others] = both.filter((each) => each !== undefined);
        expect(others).toEqual([]);
        expect(claimed).toEqual({
          job: { ...createdJob("j1"), status: "running", startedTime: NOW_MS, attempts: 1, sequence: 2 },
          lease: { jobId: "j1", epoch: 1, holder: claimed?.lease.holder },
          permit: "secret",
        });
        expect(await store.listClaimable(10)).toEqual([]);
      }),
    );

    it(
      "is given to another when it expires, and the old holder cannot write",
      withStore(async ({ store, clock, claim }) => {
        await store.create(newEvalJob("j1"));
        const old = await claim("j1", "one");
        await store.beginCase(old.lease, { index: 0, sessionId: "s" });
        clock.advance(LEASE_MS - 1);
        expect(await store.listClaimable(10)).toEqual([]);
        clock.advance(1);
        expect(await store.listClaimable(10)).toEqual([{ jobId: "j1" }]);
        const { lease, job } = await claim("j1", "two");
        expect([lease.epoch, job.attempts, job.counts.running]).toEqual([2, 2, 0]);
        const lost = { reason: "LEASE_LOST" };
        await expect(store.renew(old.lease, LEASE_MS)).rejects.toMatchObject(lost);
        await expect(store.beginCase(old.lease, { index: 0, sessionId: "s" })).rejects.toMatchObject(lost);
        await expect(store.finishCase(old.lease, 0, caseResult("a"))).rejects.toMatchObject(lost);
        await expect(store.recordAnswer(old.lease, QUESTION, "late")).rejects.toMatchObject(lost);
        await expect(store.finish(old.lease, { status: "succeeded" })).rejects.toMatchObject(lost);
        await expect(store.release(old.lease)).rejects.toMatchObject(lost);
        expect(await store.getAnswer({ jobId: "j1" }, QUESTION)).toBeUndefined();
        expect(await store.listResults({ jobId: "j1" })).toEqual([]);
        expect(await store.get({ jobId: "j1" })).toEqual(job);
      }),
    );

    it(
      "of the same holder's former process is old, too",
      withStore(async ({ store, clock, claim }) => {
        await store.create(newEvalJob("j1"));
        const old = await claim("j1", "one");
        clock.advance(LEASE_MS);
        await claim("j1", "one");
        await expect(store.renew(old.lease, LEASE_MS)).rejects.toMatchObject({ reason: "LEASE_LOST" });
      }),
    );

    it(
      "lasts as long as it is renewed, which readers do not see",
      withStore(async ({ store, clock, claim }) => {
        await store.create(newEvalJob("j1"));
        const { lease, job } = await claim("j1");
        clock.advance(LEASE_MS - 1);
        expect(await store.renew(lease, LEASE_MS)).toEqual(job);
        clock.advance(LEASE_MS - 1);
        expect(await store.claim({ jobId: "j1" }, { ...CLAIM, holder: "two" })).toBeUndefined();
      }),
    );

    it(
      "is free at once after a handover, which is not an attempt",
      withStore(async ({ store, claim }) => {
        await store.create(newEvalJob("j1"));
        const { lease } = await claim("j1");
        await store.beginCase(lease, { index: 0, sessionId: "s" });
        await store.release(lease);
        expect(await store.listClaimable(10)).toEqual([{ jobId: "j1" }]);
        const next = await claim("j1", "two");
        expect([next.job.attempts, next.job.counts.running, next.lease.epoch]).toEqual([1, 0, 2]);
      }),
    );

    it(
      "ends with the job",
      withStore(async ({ store, claim }) => {
        await store.create(newEvalJob("j1"));
        const { lease } = await claim("j1");
        const error = { reason: "QUOTA_EXCEEDED", message: "Used up." };
        expect(await store.finish(lease, { status: "failed", error })).toEqual({
          ...createdJob("j1"),
          status: "failed",
          startedTime: NOW_MS,
          endedTime: NOW_MS,
          attempts: 1,
          sequence: 3,
          error,
        });
        expect(await store.listClaimable(10)).toEqual([]);
        expect(await store.claim({ jobId: "j1" }, CLAIM)).toBeUndefined();
        await expect(store.renew(lease, LEASE_MS)).rejects.toMatchObject({ reason: "LEASE_LOST" });
      }),
    );
  });
}
