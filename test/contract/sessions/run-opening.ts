import { describe, expect, it } from "vitest";
import { createEventActions } from "#kit/events/event-actions.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
  storedIds,
} from "./session-world.ts";

/** How every `RunJournal` treats the event that a run begins with. */
export function runOpeningContract(contract: SessionStoreContract): void {
  const openingOf = (runId: string, stateDelta: JsonObject = {}) =>
    toEventRecord(
      said(`opening of ${runId}`, {
        invocationId: `invocation of ${runId}`,
        author: "user",
        actions: createEventActions({ stateDelta }),
      }),
    );

  describe("a run's first event", () => {
    it("is stored with the begin, and its delta by scope, while the snapshot is as it was before", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession({ ...KEY, state: { a: 1, "app:b": 1 }, events: [said("before")] });
      const opening = openingOf("run", { a: 2, "app:b": 3, "user:c": 4 });
      const begun = await started(store, "run", { opening, haveRevision: 1 });
      expect([begun.opened, begun.snapshot, begun.run.baseRevision]).toEqual([
        true,
        expect.objectContaining({ revision: 1, events: [], state: { a: 1, "app:b": 1 } }),
        1,
      ]);
      expect((await store.listEventRecords(KEY)).events.at(-1)).toEqual({ ...opening, sequence: 2 });
      expect(await store.getSession(KEY, { numRecentEvents: 0 })).toMatchObject({
        state: { a: 2, "app:b": 3, "user:c": 4 },
        revision: 2,
        lastUpdateTime: opening.timestamp,
      });
      clock.advance(1000);
      const finished = await store.finish({
        lease: begun.lease,
        afterRevision: 2,
        events: [toEventRecord(said("answer"))],
        status: "succeeded",
      });
      expect([finished.revision, finished.missed]).toEqual([3, []]);
    });

    it("is stored in a session that the begin creates", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const request = { autoCreateSession: true };
      const { opened, snapshot } = await started(store, "run", { request, opening: openingOf("run") });
      expect([opened, snapshot.revision, await storedIds(store)]).toEqual([true, 0, ["1:opening of run"]]);
    });

    it("waits with a run that waits, and is stored when that starts", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const first = await started(store, "first", { opening: openingOf("first") });
      const waiting = beginRequest("second", { opening: openingOf("second") });
      expect(await store.begin(waiting)).toMatchObject({ kind: "queued", behind: "first" });
      expect(await storedIds(store)).toEqual(["1:opening of first"]);
      await store.finish({ lease: first.lease, afterRevision: 1, events: [], status: "succeeded" });
      const second = await started(store, "second", { opening: openingOf("second") });
      expect([second.opened, second.snapshot.revision]).toEqual([true, 1]);
      expect(await storedIds(store)).toEqual(["1:opening of first", "2:opening of second"]);
    });

    it("is stored once when the begin is repeated, and when another holder takes the run over", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      await started(store, "run", { opening: openingOf("run") });
      const repeated = await started(store, "run", { opening: openingOf("run") });
      const events = [{ ...openingOf("run"), sequence: 1 }];
      expect([repeated.opened, repeated.snapshot.events]).toEqual([false, events]);
      clock.advance(LEASE_MS);
      const taken = await started(store, "run", { opening: openingOf("run"), holder: "runner 2" });
      expect([taken.opened, taken.snapshot.events, taken.run.attempts]).toEqual([false, events, 3]);
      expect(await storedIds(store)).toEqual(["1:opening of run"]);
    });

    it("is left to the caller when the run belongs to another invocation than the caller thinks", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { opened, run } = await started(store, "run", { opening: openingOf("other") });
      expect([opened, run.invocationId, await storedIds(store)]).toEqual([false, "invocation of run", []]);
    });

    it("is not stored when the begin is refused", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await started(store, "first");
      const refused = beginRequest("second", { policy: "reject", opening: openingOf("second", { a: 1 }) });
      await expect(store.begin(refused)).rejects.toMatchObject({ reason: "SESSION_BUSY" });
      expect([await storedIds(store), (await store.getSession(KEY))?.state]).toEqual([[], {}]);
    });
  });
}
