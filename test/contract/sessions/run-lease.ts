import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  NOW,
  record,
  refusal,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "./session-world.ts";

/** Which run may write to a session, and which wait: leases, fencing and policies of every `RunJournal`. */
export function runLeaseContract(contract: SessionStoreContract): void {
  describe("the lease", () => {
    it("is extended by a renewal and by an append, by the store's clock", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "run");
      clock.advance(LEASE_MS - 1);
      const renewed = await store.renew(lease, LEASE_MS);
      expect(renewed).toEqual({ lease: { ...lease, expiresAt: NOW + 2 * LEASE_MS - 1 }, cancelRequested: false });
      clock.advance(LEASE_MS - 1);
      await store.append({ lease: renewed.lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
      clock.advance(LEASE_MS - 1);
      expect((await store.begin(beginRequest("run", { holder: "runner 2" }))).kind).toBe("existing");
    });

    it("is taken by another holder when it has expired, and every write of the old holder is refused", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const { lease: old, run } = await started(store, "run");
      await store.append({ lease: old, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
      expect(await store.begin(beginRequest("run", { holder: "runner 2" }))).toEqual({ kind: "existing", run });
      clock.advance(LEASE_MS);
      const taken = await started(store, "run", { holder: "runner 2" });
      expect(taken.run).toEqual({ ...run, holder: "runner 2", epoch: 2, attempts: 2 });
      expect(taken.lease).toEqual({ ...old, holder: "runner 2", epoch: 2, expiresAt: NOW + 2 * LEASE_MS });
      expect(taken.snapshot.events.map((event) => event.id)).toEqual(["1"]);

      const lost = refusal("LEASE_LOST", { runId: "run" });
      const late = { lease: old, leaseMs: LEASE_MS, afterRevision: 1, events: [record("late", { a: 1 })] };
      await expect(store.append(late)).rejects.toMatchObject(lost);
      await expect(store.finish({ ...late, status: "succeeded" })).rejects.toMatchObject(lost);
      await expect(store.renew(old, LEASE_MS)).rejects.toMatchObject(lost);
      await expect(store.append({ ...late, lease: { ...taken.lease, holder: "runner 3" } })).rejects.toMatchObject(
        lost,
      );
      const finished = await store.finish({ lease: taken.lease, afterRevision: 1, events: [], status: "succeeded" });
      await expect(store.finish({ ...late, status: "failed" })).rejects.toMatchObject(lost);
      await expect(store.renew(taken.lease, LEASE_MS)).rejects.toMatchObject(lost);
      expect([await store.get("run"), finished.revision, (await store.getSession(KEY))?.state]).toEqual([
        finished.run,
        1,
        {},
      ]);
    });

    it("is taken again immediately by the holder that has it", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const first = await started(store, "run");
      const second = await started(store, "run");
      expect([second.lease.epoch, second.run.attempts]).toEqual([2, 2]);
      await expect(store.renew(first.lease, LEASE_MS)).rejects.toMatchObject(refusal("LEASE_LOST", { runId: "run" }));
    });

    it("stays valid after its expiry until another holder takes it", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "run");
      clock.advance(5 * LEASE_MS);
      const appended = await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
      expect(appended.lease.expiresAt).toBe(NOW + 6 * LEASE_MS);
    });

    it("of a lost runner goes to the next run after one more lease, and the lost run ends as interrupted", async () => {
      verifies("states:run-states");
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "lost");
      clock.advance(2 * LEASE_MS - 1);
      expect(await store.begin(beginRequest("next", { holder: "runner 2" }))).toMatchObject({
        kind: "queued",
        behind: "lost",
      });
      clock.advance(1);
      expect((await started(store, "next", { holder: "runner 2" })).lease.epoch).toBe(2);
      expect(await store.get("lost")).toMatchObject({
        status: "interrupted",
        finishedTime: NOW + 2 * LEASE_MS,
        error: { code: "ABORTED", reason: "RUN_INTERRUPTED" },
      });
      const late = store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
      await expect(late).rejects.toMatchObject(refusal("LEASE_LOST", { runId: "lost" }));
    });

    it("is had by exactly one of twenty runs that begin concurrently", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      const results = await Promise.all(
        numbers.map((n) => store.begin(beginRequest(`run ${n}`, { holder: `runner ${n}` }))),
      );
      expect(results.filter((result) => result.kind === "started")).toHaveLength(1);
      const order = results.flatMap((result) => (result.kind === "queued" ? [result.behind] : []));
      expect(new Set(order).size).toBe(19);
    });
  });

  describe("a second run on a busy session", () => {
    it("waits, and runs start in the order in which they were recorded", async () => {
      verifies("states:run-states", "wire:run:busy-session");
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "1");
      const second = await store.begin(beginRequest("2"));
      expect(second).toMatchObject({
        kind: "queued",
        behind: "1",
        run: { status: "pending", attempts: 0, epoch: 0, baseRevision: 0 },
      });
      expect(await store.begin(beginRequest("3"))).toMatchObject({ kind: "queued", behind: "2" });
      await store.finish({ lease, afterRevision: 0, events: [record("a")], status: "succeeded" });
      expect(await store.begin(beginRequest("3"))).toMatchObject({ kind: "queued", behind: "2" });
      expect(await store.begin(beginRequest("4"))).toMatchObject({ kind: "queued", behind: "3" });
      const { run, snapshot } = await started(store, "2");
      expect([run.baseRevision, run.createdTime, snapshot.events.map((event) => event.id)]).toEqual([1, NOW, ["a"]]);
      expect(await store.get("2")).toEqual(run);
      await store.cancel("3");
      expect(await store.begin(beginRequest("4"))).toMatchObject({ kind: "queued", behind: "2" });
    });

    it("is refused when too many wait", async () => {
      verifies("limits:rate", "wire:run:busy-session");
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await started(store, "1");
      await store.begin(beginRequest("2", { maxQueued: 1 }));
      await store.begin(beginRequest("3", { maxQueued: 1 }));
      const full = refusal("QUEUE_FULL", { sessionId: "session", maxQueued: "1" });
      await expect(store.begin(beginRequest("4", { maxQueued: 1 }))).rejects.toMatchObject(full);
      expect([await store.get("4"), await store.begin(beginRequest("3", { maxQueued: 0 }))]).toMatchObject([
        undefined,
        { kind: "queued" },
      ]);
    });

    it("is refused with the active run's id when the policy is reject", async () => {
      verifies("wire:run:busy-session");
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "1");
      const busy = refusal("SESSION_BUSY", { sessionId: "session", runId: "1" });
      await expect(store.begin(beginRequest("2", { policy: "reject" }))).rejects.toMatchObject(busy);
      expect(await store.get("2")).toBeUndefined();
      await store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      await started(store, "2", { policy: "reject" });
    });

    it.each(["interrupt", "rollback"] as const)(
      "asks the active run to cancel when the policy is %s",
      async (policy) => {
        verifies("wire:run:busy-session");
        await using world = await startSessionWorld(contract);
        const { store } = world;
        await store.createSession(KEY);
        const { lease } = await started(store, "1");
        expect(await store.begin(beginRequest("2", { policy }))).toMatchObject({
          kind: "queued",
          behind: "1",
          run: { policy },
        });
        expect([(await store.get("1"))?.cancelRequested, (await store.renew(lease, LEASE_MS)).cancelRequested]).toEqual(
          [true, true],
        );
        await store.finish({ lease, afterRevision: 0, events: [], status: "cancelled" });
        await started(store, "2", { policy });
      },
    );
  });

  describe("a message that takes the place of others", () => {
    it.each(["interrupt", "rollback"] as const)(
      "ends those that wait before it, visibly, when the policy is %s",
      async (policy) => {
        verifies("wire:run:busy-session");
        await using world = await startSessionWorld(contract);
        const { store } = world;
        await store.createSession(KEY);
        const { lease } = await started(store, "1");
        await store.begin(beginRequest("2"));
        await store.begin(beginRequest("3", { policy: "interrupt", maxQueued: 0 }));
        expect(await store.begin(beginRequest("4", { policy, maxQueued: 0 }))).toMatchObject({
          kind: "queued",
          behind: "1",
        });
        const gaveWay = {
          status: "cancelled",
          cancelRequested: true,
          finishedTime: NOW,
          error: { code: "CANCELLED", reason: "RUN_CANCELLED", message: "A newer message took this run's place." },
        };
        expect([await store.get("2"), await store.get("3")]).toMatchObject([gaveWay, gaveWay]);
        expect((await store.begin(beginRequest("3"))).kind).toBe("existing");
        await store.finish({ lease, afterRevision: 0, events: [], status: "cancelled" });
        const { lease: next } = await started(store, "4", { policy });
        // Later runs are queued as usual.
        expect(await store.begin(beginRequest("5"))).toMatchObject({ kind: "queued", behind: "4" });
        await store.finish({ lease: next, afterRevision: 0, events: [], status: "succeeded" });
        await started(store, "5");
      },
    );

    it("starts immediately when no run has begun, and lets one that has begun before end in order", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "1");
      await store.begin(beginRequest("2"));
      await store.release(lease);
      expect(await store.begin(beginRequest("3", { policy: "interrupt" }))).toMatchObject({
        kind: "queued",
        behind: "1",
      });
      expect([await store.get("1"), await store.get("2")]).toMatchObject([
        { status: "pending", cancelRequested: true },
        { status: "cancelled" },
      ]);
      const again = await started(store, "1", { holder: "runner 2" });
      await store.finish({ lease: again.lease, afterRevision: 0, events: [], status: "cancelled" });
      // The queued run has not been started again yet.
      expect((await started(store, "4", { policy: "interrupt" })).run.runId).toBe("4");
      expect(await store.get("3")).toMatchObject({ status: "cancelled" });
    });
  });

  describe("a session that goes away under its runs", () => {
    it("when deleted takes the runs with it", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "running");
      await store.begin(beginRequest("pending"));
      await store.deleteSession(KEY);
      const write = { lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] };
      const missing = refusal("SESSION_NOT_FOUND");
      await expect(store.append(write)).rejects.toMatchObject(missing);
      await expect(store.finish({ ...write, status: "succeeded" })).rejects.toMatchObject(missing);
      await expect(store.renew(lease, LEASE_MS)).rejects.toMatchObject(missing);
      await expect(store.begin(beginRequest("pending"))).rejects.toMatchObject(missing);
      expect([await store.get("running"), await store.get("pending"), await store.list({})]).toEqual([
        undefined,
        undefined,
        { runs: [] },
      ]);
      await store.createSession(KEY);
      await expect(store.append(write)).rejects.toMatchObject(refusal("LEASE_LOST", { runId: "running" }));
      expect((await store.listEventRecords(KEY)).events).toEqual([]);
    });

    it("when closed asks the running run to end, cancels those that wait and takes no events", async () => {
      verifies("states:session-states");
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession({ ...KEY, events: [said("0")] });
      const { lease } = await started(store, "running");
      await store.begin(beginRequest("pending"));
      await store.closeSession(KEY);
      expect([(await store.get("running"))?.cancelRequested, (await store.get("pending"))?.status]).toEqual([
        true,
        "cancelled",
      ]);
      const write = { lease, leaseMs: LEASE_MS, afterRevision: 1, events: [record("1")] };
      await expect(store.append(write)).rejects.toMatchObject(refusal("SESSION_CLOSED"));
      await expect(store.finish({ ...write, status: "cancelled" })).rejects.toMatchObject(refusal("SESSION_CLOSED"));
      await expect(store.begin(beginRequest("new"))).rejects.toMatchObject(refusal("SESSION_CLOSED"));
      const { run } = await store.finish({ ...write, events: [], status: "cancelled" });
      expect([run.status, (await store.getSession(KEY))?.revision]).toEqual(["cancelled", 1]);
    });
  });
}
