import { describe, expect, it } from "vitest";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import {
  KEY,
  LEASE_MS,
  OWNER,
  record,
  type SessionStore,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "./session-world.ts";

/** How every store treats the history starts that runs send. */
export function historyStartContract(contract: SessionStoreContract): void {
  const BOUND = { from: 9, earlier: [2, 5] };
  const fromHistoryStart = true;

  /** Ten events, of which the last came with the bound; the run that wrote them has ended. */
  async function createBounded(store: SessionStore): Promise<void> {
    await store.createSession({ ...KEY, state: { a: 1 }, events: history(8) });
    const { lease } = await started(store, "writer", { fromHistoryStart });
    const write = { lease, leaseMs: LEASE_MS, events: [record("9"), record("10")] };
    await store.append({ ...write, afterRevision: 8, historyStart: BOUND });
    await store.finish({ lease, afterRevision: 10, events: [], status: "succeeded" });
  }

  const history = (count: number) => Array.from({ length: count }, (_, index) => said(String(index + 1)));

  const sequences = (first: number, last: number): readonly number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  /** The sequences of the events that a new run gets. */
  async function given(
    store: RunJournal,
    runId: string,
    request: Parameters<typeof started>[2] = { fromHistoryStart },
  ) {
    const { lease, snapshot } = await started(store, runId, request);
    await store.finish({ lease, afterRevision: snapshot.revision, events: [], status: "succeeded" });
    return snapshot.events.map(({ sequence }) => sequence);
  }

  describe("a session's history start", () => {
    it("leaves out of a run's beginning what it does not ask for, and of nothing else", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      const { snapshot } = await started(store, "run", { fromHistoryStart });
      expect(snapshot).toEqual({
        incarnation: expect.any(String),
        revision: 10,
        events: [
          ...[2, 5].map((sequence) => ({ ...record(String(sequence)), sequence, outside: true })),
          ...[9, 10].map((sequence) => ({ ...record(String(sequence)), sequence })),
        ],
        complete: true,
        state: { a: 1 },
        lastUpdateTime: expect.any(Number),
      });
      const read = await store.getSession(KEY);
      const { events } = await store.listEventRecords(KEY);
      expect([read?.events.map(({ id }) => Number(id)), events.map(({ sequence }) => sequence)]).toEqual([
        sequences(1, 10),
        sequences(1, 10),
      ]);
    });

    it("bounds a list of events that asks for it, page by page", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      const list = async (request: Partial<Parameters<SessionStore["listEventRecords"]>[0]>) => {
        const { events, nextPageToken } = await store.listEventRecords({ ...KEY, fromHistoryStart, ...request });
        return { listed: events.map(({ sequence }) => sequence), pageToken: nextPageToken };
      };
      expect(await list({})).toEqual({ listed: [2, 5, 9, 10] });
      expect(await list({ afterRevision: 4 })).toEqual({ listed: [5, 9, 10] });
      expect(await list({ afterRevision: 10 })).toEqual({ listed: [] });
      const { listed, pageToken } = await list({ pageSize: 3 });
      expect([listed, await list({ pageSize: 3, pageToken: pageToken! })]).toEqual([[2, 5, 9], { listed: [10] }]);
    });

    it("stays where it is while events come that change nothing before them, be they from outside", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      const { lease } = await started(store, "run", { fromHistoryStart });
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 10, events: [record("11", { a: 2 })] });
      await store.finish({ lease, afterRevision: 11, events: [], status: "succeeded" });
      await store.applyStateDelta({ ...KEY, stateDelta: { a: 3 }, author: "user", invocationId: "outside" });
      await store.appendEvent({ ...KEY, state: {}, events: [], lastUpdateTime: 0, revision: 12 }, said("13"));
      expect(await given(store, "cold")).toEqual([2, 5, ...sequences(9, 13)]);
    });

    it("does not touch what a caller is given that holds some of the session", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      expect(await given(store, "warm", { fromHistoryStart, haveRevision: 6 })).toEqual(sequences(7, 10));
      expect(await given(store, "ahead", { fromHistoryStart, haveRevision: 99 })).toEqual([2, 5, 9, 10]);
    });

    it("is set at a run's end too, forwards and back", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession({ ...KEY, events: history(3) });
      const end = async (runId: string, historyStart: typeof BOUND): Promise<void> => {
        const { lease } = await started(store, runId, { fromHistoryStart });
        const { revision: afterRevision } = (await store.getSession(KEY))!;
        const events = [record(String(afterRevision + 1))];
        await store.finish({ lease, afterRevision, events, status: "succeeded", historyStart });
      };
      await end("one", { from: 4, earlier: [] });
      expect(await given(store, "first")).toEqual([4]);
      await end("two", { from: 5, earlier: [1, 3] });
      expect(await given(store, "second")).toEqual([1, 3, 5]);
      await end("three", { from: 3, earlier: [1] });
      expect(await given(store, "third")).toEqual([1, ...sequences(3, 6)]);
      await end("four", { from: 1, earlier: [] });
      expect(await given(store, "fourth")).toEqual(sequences(1, 7));
    });

    it("is kept when a write is repeated", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession({ ...KEY, events: history(2) });
      const { lease } = await started(store, "run", { fromHistoryStart });
      const write = { lease, leaseMs: LEASE_MS, afterRevision: 2, events: [record("3")] };
      const historyStart = { from: 3, earlier: [1] };
      await store.append({ ...write, historyStart });
      await store.append({ ...write, historyStart });
      const end = { lease, afterRevision: 3, events: [], status: "succeeded" } as const;
      await store.finish(end);
      await store.finish(end);
      expect(await given(store, "cold")).toEqual([1, 3]);
    });

    it("is given up when its writer does not know all events", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      const { lease } = await started(store, "run", { fromHistoryStart });
      await store.applyStateDelta({ ...KEY, stateDelta: { a: 2 }, author: "user", invocationId: "outside" });
      const { missed } = await store.append({
        lease,
        leaseMs: LEASE_MS,
        afterRevision: 10,
        events: [record("12")],
        historyStart: { from: 11, earlier: [] },
      });
      await store.finish({ lease, afterRevision: 12, events: [], status: "succeeded" });
      expect([missed.length, await given(store, "cold")]).toEqual([1, sequences(1, 12)]);
    });

    it("is given up for a caller that does not keep it", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      expect(await given(store, "old", {})).toEqual(sequences(1, 10));
      expect(await given(store, "new")).toEqual(sequences(1, 10));
    });

    it.each<[string, Partial<EventActions>]>([
      ["summarizes", { compaction: { compactedContent: { parts: [] }, startTimestamp: 0, endTimestamp: 1 } }],
      ["rewinds", { rewindBeforeInvocationId: "invocation" }],
    ])("is given up when a writer from outside %s", async (_, actions) => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      const session = (await store.getSession(KEY))!;
      await store.appendEvent(session, said("11", { actions: createEventActions(actions) }));
      expect(await given(store, "cold")).toEqual(sequences(1, 11));
    });

    it("goes with its session", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await createBounded(store);
      await store.deleteSession(KEY);
      await store.createSession({ ...OWNER, id: KEY.id, events: history(10) });
      expect(await given(store, "other")).toEqual(sequences(1, 10));
    });
  });
}
