import { describe, expect, it } from "vitest";
import { MAX_HEADS } from "#kit/sessions/journal-head.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  record,
  refusal,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "./session-world.ts";

/** What every `RunJournal` returns for many sessions in one call. */
export function journalHeadsContract(contract: SessionStoreContract): void {
  describe("the heads of journals", () => {
    it("give in the order of the sessions where each stands, and which do not exist", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const other = { appName: "other", userId: "somebody", id: "a/b" };
      const missing = { ...KEY, id: "missing" };
      await store.createSession({ ...KEY, state: { large: "x".repeat(10_000) } });
      await store.createSession({ ...other, events: [said("1"), said("2")] });
      const incarnation = expect.any(String);
      expect(await store.getHeads([other, missing, KEY, other])).toEqual([
        { incarnation, revision: 2 },
        undefined,
        { incarnation, revision: 0 },
        { incarnation, revision: 2 },
      ]);
      expect(await store.getHeads([])).toEqual([]);
    });

    it("name the active run, in its present attempt, and none that waits or has ended", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession({ ...KEY, events: [said("1")] });
      const streamKey = newStreamKey();
      const { lease, snapshot } = await started(store, "run", { haveRevision: 1, streamKey });
      await store.begin(beginRequest("next"));
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 1, events: [record("2")] });
      const { incarnation } = snapshot;
      const run = {
        runId: "run",
        invocationId: "invocation of run",
        epoch: 1,
        attempts: 1,
        baseRevision: 1,
        streamKey,
      };
      expect(await store.getHeads([KEY])).toEqual([{ incarnation, revision: 2, run }]);

      clock.advance(2 * LEASE_MS);
      const again = await started(store, "run", { holder: "runner 2" });
      expect(await store.getHeads([KEY])).toEqual([
        { incarnation, revision: 2, run: { ...run, epoch: 2, attempts: 2 } },
      ]);

      await store.finish({ lease: again.lease, afterRevision: 2, events: [record("3")], status: "succeeded" });
      expect(await store.getHeads([KEY])).toEqual([{ incarnation, revision: 3 }]);
    });

    it("distinguish a session from an earlier one of the same id, and a deleted one from both", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession({ ...KEY, events: [said("1")] });
      const [first] = await store.getHeads([KEY]);
      await store.deleteSession(KEY);
      expect(await store.getHeads([KEY])).toEqual([undefined]);
      await store.createSession({ ...KEY, events: [said("1")] });
      const [second] = await store.getHeads([KEY]);
      expect([first?.revision, second?.revision, first?.incarnation === second?.incarnation]).toEqual([1, 1, false]);
    });

    it("are not asked for with bad ids, nor for more sessions than one call may name", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await expect(store.getHeads([KEY, { ...KEY, userId: "" }])).rejects.toMatchObject(
        refusal("INVALID_IDENTIFIER", { field: "userId" }),
      );
      const many = Array.from({ length: MAX_HEADS + 1 }, (_, index) => ({ ...KEY, id: `session ${index}` }));
      await expect(store.getHeads(many)).rejects.toMatchObject(refusal("INVALID_FIELD", { field: "sessions" }));
      expect(await store.getHeads(many.slice(1))).toEqual(Array(MAX_HEADS).fill(undefined));
    });
  });
}
