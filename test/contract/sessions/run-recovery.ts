import { describe, expect, it } from "vitest";
import { runRevisionsContract } from "../runs/run-revisions.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  refusal,
  type SessionStoreContract,
  started,
  startSessionWorld,
} from "./session-world.ts";

const MIN_AGE_MS = LEASE_MS;

/** How runs pass from one holder to another: how every `RunJournal` treats runs without a holder. */
export function runRecoveryContract(contract: SessionStoreContract): void {
  runRevisionsContract(contract);

  describe("a begin that is limited to runs without a holder", () => {
    it("records no new run, creates no session, and finds no other run by its idempotency key", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await started(store, "run", { idempotencyKey: "key" });
      const missing = { ...KEY, id: "missing" };
      for (const limitedTo of ["recorded", "available"] as const) {
        const begin = (overrides: Parameters<typeof beginRequest>[1]) =>
          store.begin(beginRequest("new", { limitedTo, ...overrides }));
        const none = refusal("RUN_NOT_FOUND", { runId: "new" });
        await expect(begin({})).rejects.toMatchObject(none);
        await expect(begin({ idempotencyKey: "key" })).rejects.toMatchObject(none);
        const creating = begin({ session: missing, request: { autoCreateSession: true } });
        await expect(creating).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
      }
      expect(await store.getSession(missing)).toBeUndefined();
      expect((await store.list({})).runs.map(({ runId }) => runId)).toEqual(["run"]);
    });

    it("gets a pending run, and one whose lease has expired, also in the name of its holder", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "run");
      await store.begin(beginRequest("next"));
      const begin = async (runId: string) => (await store.begin(beginRequest(runId, { limitedTo: "available" }))).kind;
      expect([await begin("run"), await begin("next")]).toEqual(["existing", "queued"]);
      const own = await store.begin(beginRequest("run", { limitedTo: "recorded" }));
      expect(own.kind === "started" && own.lease.epoch).toBe(lease.epoch + 1);
      clock.advance(LEASE_MS);
      expect(await begin("run")).toBe("started");
      await store.cancel("next");
      expect(await begin("next")).toBe("existing");
    });
  });

  describe("a run that its holder gives up", () => {
    it("is pending again, is refused to the old holder, and continues with what it has stored", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const { lease, run } = await started(store, "run");
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
      const released = await store.release(lease);
      const { holder: _, ...rest } = run;
      expect(released).toEqual({ ...rest, status: "pending", handovers: 1 });
      expect(await store.get("run")).toEqual(released);

      const lost = refusal("LEASE_LOST", { runId: "run" });
      await expect(store.release(lease)).rejects.toMatchObject(lost);
      await expect(
        store.append({ lease, leaseMs: LEASE_MS, afterRevision: 1, events: [record("late")] }),
      ).rejects.toMatchObject(lost);

      clock.advance(1);
      const taken = await started(store, "run", { holder: "runner 2" });
      expect(taken.run).toEqual({ ...run, holder: "runner 2", epoch: 2, attempts: 2, handovers: 1 });
      expect(taken.lease).toEqual({ ...lease, holder: "runner 2", epoch: 2, expiresAt: NOW + LEASE_MS + 1 });
      expect(taken.snapshot.events.map(({ id }) => id)).toEqual(["1"]);
      const finished = await store.finish({ lease: taken.lease, afterRevision: 1, events: [], status: "succeeded" });
      expect(await store.get("run")).toEqual(finished.run);
      expect(finished.run).toMatchObject({ attempts: 2, handovers: 1, status: "succeeded" });
    });

    it("stays ahead of those that wait behind it", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "1");
      await store.begin(beginRequest("2"));
      await store.release(lease);
      expect(await store.begin(beginRequest("2", { holder: "runner 2" }))).toMatchObject({
        kind: "queued",
        behind: "1",
      });
      expect(await store.begin(beginRequest("3", { holder: "runner 2" }))).toMatchObject({ behind: "2" });
      expect((await started(store, "1", { holder: "runner 2" })).run.attempts).toBe(2);
    });

    it("can be cancelled while it has no holder", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "1");
      await store.release(lease);
      expect(await store.cancel("1")).toMatchObject({ status: "cancelled", handovers: 1 });
      expect((await started(store, "2")).lease.epoch).toBe(2);
    });
  });

  describe("runs without a holder", () => {
    it("are those whose lease has expired, and of each line the first that could start", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      const key = (id: string) => ({ ...OWNER, id });
      const begin = (runId: string, id: string) => started(store, runId, { session: key(id) });
      for (const id of ["kept", "lost", "free", "given up", "young"]) await store.createSession(key(id));
      const kept = await begin("kept", "kept");
      await store.begin(beginRequest("behind kept", { session: key("kept") }));
      await begin("lost", "lost");
      await store.begin(beginRequest("behind lost", { session: key("lost") }));
      const ended = await begin("ended", "free");
      await store.begin(beginRequest("first", { session: key("free") }));
      await store.begin(beginRequest("second", { session: key("free") }));
      await store.finish({ lease: ended.lease, afterRevision: 0, events: [], status: "succeeded" });
      const givenUp = await begin("given up", "given up");
      await store.release(givenUp.lease);

      const abandoned = async (limit = 100) =>
        (await store.listAbandoned({ minAgeMs: MIN_AGE_MS, limit })).map(({ runId }) => runId).sort();
      expect(await abandoned()).toEqual([]);
      clock.advance(LEASE_MS - 1);
      await store.renew(kept.lease, LEASE_MS);
      expect(await abandoned()).toEqual([]);
      clock.advance(1);
      const young = await begin("young", "young");
      await store.release(young.lease);
      expect(await abandoned()).toEqual(["first", "given up", "lost"]);
      expect(await abandoned(2)).toHaveLength(2);
      const [first] = await store.listAbandoned({ minAgeMs: MIN_AGE_MS, limit: 1 });
      expect(first).toEqual(await store.get(first?.runId ?? ""));

      await started(store, "lost", { session: key("lost"), holder: "runner 2" });
      await store.deleteSession(key("free"));
      expect(await abandoned()).toEqual(["given up"]);
    });

    it("are listed oldest first", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      for (const id of ["a", "b", "c"]) {
        await store.createSession({ ...OWNER, id });
        await started(store, `run ${id}`, { session: { ...OWNER, id } });
        clock.advance(1);
      }
      clock.advance(LEASE_MS);
      const runs = await store.listAbandoned({ minAgeMs: MIN_AGE_MS, limit: 2 });
      expect(runs.map(({ runId }) => runId)).toEqual(["run a", "run b"]);
    });

    it("are refused a limit that is none", async () => {
      await using world = await startSessionWorld(contract);
      const list = world.store.listAbandoned({ minAgeMs: 0, limit: 0 });
      await expect(list).rejects.toMatchObject({ reason: "INVALID_FIELD" });
    });

    it("are had by exactly one of the holders that want them concurrently", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      await started(store, "run");
      clock.advance(LEASE_MS);
      const holders = ["runner 2", "runner 3", "runner 4", "runner 5"];
      const results = await Promise.all(holders.map((holder) => store.begin(beginRequest("run", { holder }))));
      expect(results.filter(({ kind }) => kind === "started")).toHaveLength(1);
      expect((await store.get("run"))?.attempts).toBe(2);
    });
  });

  it("keeps its place before the next run for as long as that one allows", async () => {
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    await store.createSession(KEY);
    await started(store, "lost");
    const next = { holder: "runner 2", abandonAfterMs: 3 * LEASE_MS };
    clock.advance(4 * LEASE_MS - 1);
    expect(await store.begin(beginRequest("next", next))).toMatchObject({ kind: "queued", behind: "lost" });
    clock.advance(1);
    expect((await started(store, "next", next)).lease.epoch).toBe(2);
    expect((await store.get("lost"))?.status).toBe("interrupted");
  });
}
