import { describe, expect, it } from "vitest";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  record,
  type SessionStoreContract,
  started,
  startSessionWorld,
} from "../sessions/session-world.ts";

const differs = (agentRevision: string) => ({ reason: "AGENT_REVISION_DIFFERS", details: { agentRevision } });

/** How every `RunJournal` keeps runs and sessions on the version of their agent. */
export function runRevisionsContract(contract: SessionStoreContract): void {
  describe("agent revisions", () => {
    async function startWorld() {
      const world = await startSessionWorld(contract);
      await world.store.createSession(KEY);
      return world;
    }

    it("are kept with the run, from its begin to its end", async () => {
      await using world = await startWorld();
      const { store } = world;
      const { lease, run } = await started(store, "run", { agentRevision: "one" });
      expect([run.agentRevision, (await store.get("run"))?.agentRevision]).toEqual(["one", "one"]);
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] });
      const ended = await store.finish({ lease, afterRevision: 1, events: [], status: "succeeded" });
      expect(ended.run.agentRevision).toBe("one");
      expect((await store.list({ session: KEY })).runs.map(({ agentRevision }) => agentRevision)).toEqual(["one"]);
    });

    it("of a lost run are those of the runners that may continue it, unless it is moved", async () => {
      await using world = await startWorld();
      const { store, clock } = world;
      await started(store, "run", { agentRevision: "one" });
      clock.advance(LEASE_MS);
      const other = { holder: "runner 2", agentRevision: "two" };
      await expect(store.begin(beginRequest("run", other))).rejects.toMatchObject(differs("one"));
      expect(await store.get("run")).toMatchObject({ attempts: 1, agentRevision: "one", holder: "runner 1" });
      await expect(store.begin(beginRequest("run", { ...other, movesFrom: "zero" }))).rejects.toMatchObject(
        differs("one"),
      );
      const moved = await started(store, "run", { ...other, movesFrom: "one" });
      expect(moved.run).toMatchObject({ attempts: 2, agentRevision: "two" });
      expect((await store.get("run"))?.agentRevision).toBe("two");
    });

    it("of a session are those of its newest run, also after all its runs have ended", async () => {
      await using world = await startWorld();
      const { store } = world;
      const { lease } = await started(store, "first", { agentRevision: "one" });
      await store.finish({ lease, afterRevision: 0, events: [record("a")], status: "succeeded" });
      const next = { agentRevision: "two" };
      await expect(store.begin(beginRequest("next", next))).rejects.toMatchObject(differs("one"));
      expect(await store.get("next")).toBeUndefined();
      const { run } = await started(store, "next", { ...next, movesFrom: "one" });
      expect(run.agentRevision).toBe("two");
    });

    it("do not matter to a runner that knows none, whose run keeps the session's", async () => {
      await using world = await startWorld();
      const { store } = world;
      const { lease } = await started(store, "first", { agentRevision: "one" });
      await store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      const second = await started(store, "second");
      await store.finish({ lease: second.lease, afterRevision: 0, events: [], status: "succeeded" });
      expect(second.run.agentRevision).toBeUndefined();
      await expect(store.begin(beginRequest("third", { agentRevision: "two" }))).rejects.toMatchObject(differs("one"));
    });

    it("let a run be left to a runner that has the session's, which finds it", async () => {
      await using world = await startWorld();
      const { store, clock } = world;
      const { lease } = await started(store, "first", { agentRevision: "one" });
      await store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      const left = await store.begin(beginRequest("next", { agentRevision: "two", leftFor: "one" }));
      expect(left).toMatchObject({ kind: "queued", run: { status: "pending", attempts: 0, agentRevision: "one" } });
      clock.advance(LEASE_MS);
      const abandoned = await store.listAbandoned({ minAgeMs: LEASE_MS, limit: 10 });
      expect(abandoned.map(({ runId, agentRevision }) => [runId, agentRevision])).toEqual([["next", "one"]]);
      await expect(store.begin(beginRequest("next", { agentRevision: "two" }))).rejects.toMatchObject(differs("one"));
      const { run } = await started(store, "next", { holder: "runner 2", agentRevision: "one" });
      expect(run).toMatchObject({ attempts: 1, agentRevision: "one" });
    });

    it("of a run that was left are those of its session, which may have moved before it begins", async () => {
      await using world = await startWorld();
      const { store } = world;
      const first = await started(store, "first", { agentRevision: "one" });
      await store.begin(beginRequest("left", { agentRevision: "two", leftFor: "one" }));
      await store.finish({ lease: first.lease, afterRevision: 0, events: [], status: "succeeded" });
      const session = { ...KEY, id: "other" };
      await store.createSession(session);
      const other = await started(store, "of another", { session, agentRevision: "two" });
      await store.finish({ lease: other.lease, afterRevision: 0, events: [], status: "succeeded" });
      await store.begin(beginRequest("left there", { session, agentRevision: "one", leftFor: "one" }));
      await expect(store.begin(beginRequest("left there", { session, agentRevision: "one" }))).rejects.toMatchObject(
        differs("two"),
      );
      expect((await started(store, "left", { agentRevision: "one" })).run.agentRevision).toBe("one");
    });

    it("let a run be left with each policy, and refuse it only for a session that is busy", async () => {
      await using world = await startWorld();
      const { store } = world;
      const left = { agentRevision: "two", leftFor: "one", policy: "reject" } as const;
      expect((await store.begin(beginRequest("left", left))).kind).toBe("queued");
      await expect(store.begin(beginRequest("next", left))).rejects.toMatchObject({ reason: "SESSION_BUSY" });
    });

    it("have a bounded length", async () => {
      await using world = await startWorld();
      const long = "x".repeat(2_000);
      for (const name of ["agentRevision", "movesFrom", "leftFor"])
        await expect(world.store.begin(beginRequest("run", { [name]: long }))).rejects.toMatchObject({
          reason: "INVALID_IDENTIFIER",
        });
    });
  });
}
