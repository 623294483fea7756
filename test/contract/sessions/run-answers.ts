import { describe, expect, it } from "vitest";
import type { EventRecord } from "#kit/events/event-record.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { TerminalRunStatus } from "#kit/sessions/run-record.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  record,
  type SessionStore,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "./session-world.ts";

/** The runs that every `RunJournal` lists as waiting for an answer. */
export function runAnswersContract(contract: SessionStoreContract): void {
  const answer = (id: string, invocationId: string): EventRecord =>
    toEventRecord(said(id, { invocationId, author: "user", content: { role: "user", parts: [{ text: id }] } }));

  /** A run that ends with the status and the events. */
  async function ended(
    store: SessionStore,
    runId: string,
    invocationId: string,
    status: TerminalRunStatus,
    events: readonly EventRecord[] = [],
  ) {
    const { lease, snapshot } = await started(store, runId, { invocationId });
    return store.finish({ lease, afterRevision: snapshot.revision, events, status });
  }

  const waiting = async (store: SessionStore) =>
    (await store.list({ statuses: ["awaiting_input"] })).runs.map(({ runId }) => runId);
  const answers = async (store: SessionStore, ...runIds: readonly string[]) =>
    Promise.all(runIds.map(async (runId) => (await store.get(runId))?.answeredBy));

  describe("a run that waits for an answer", () => {
    it("names the run that answered it once the answer is stored, and is found by no status then", async () => {
      verifies("states:run-answered");
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { run } = await ended(store, "asks", "i", "awaiting_input", [record("question")]);
      expect(await waiting(store)).toEqual(["asks"]);

      const { lease } = await started(store, "answers", { invocationId: "i" });
      expect([await waiting(store), await answers(store, "asks")]).toEqual([["asks"], [undefined]]);
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 1, events: [answer("yes", "i")] });
      expect(await store.get("asks")).toEqual({ ...run, answeredBy: "answers" });
      expect(await waiting(store)).toEqual([]);
      expect((await store.list({ session: KEY, statuses: ["awaiting_input", "running"] })).runs).toEqual([
        expect.objectContaining({ runId: "answers" }),
      ]);
      expect((await store.list({ session: KEY })).runs.map(({ runId }) => runId).sort()).toEqual(["answers", "asks"]);

      const finished = await store.finish({ lease, afterRevision: 2, events: [record("done")], status: "failed" });
      expect(finished.run.answeredBy).toBeUndefined();
      expect([await waiting(store), await answers(store, "asks", "answers")]).toEqual([[], ["answers", undefined]]);
      expect(await store.begin(beginRequest("asks", { invocationId: "i" }))).toEqual({
        kind: "existing",
        run: { ...run, answeredBy: "answers" },
      });
    });

    it("is answered by an opening, and by an event that shares the commit of the run's end", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await ended(store, "1", "i", "awaiting_input");
      const second = await started(store, "2", { invocationId: "i", opening: answer("first", "i") });
      expect([await waiting(store), await answers(store, "1")]).toEqual([[], ["2"]]);
      await store.finish({ lease: second.lease, afterRevision: 1, events: [], status: "awaiting_input" });
      expect(await waiting(store)).toEqual(["2"]);
      await ended(store, "3", "i", "succeeded", [answer("second", "i")]);
      expect([await waiting(store), await answers(store, "1", "2", "3")]).toEqual([[], ["2", "3", undefined]]);
    });

    it("still waits when the run that was to answer it ends before the answer is stored", async () => {
      verifies("states:run-answered");
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await ended(store, "asks", "i", "awaiting_input");
      const { lease } = await started(store, "other");
      await store.begin(beginRequest("queued", { invocationId: "i" }));
      await store.cancel("queued");
      await store.finish({ lease, afterRevision: 0, events: [record("other")], status: "succeeded" });
      await ended(store, "refused", "i", "failed", [record("error")]);
      expect([await waiting(store), await answers(store, "asks")]).toEqual([["asks"], [undefined]]);
    });

    it("gives its place to a later run of its invocation that waits, with or without a message", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await ended(store, "1", "i", "awaiting_input");
      await ended(store, "2", "i", "awaiting_input");
      expect([await waiting(store), await answers(store, "1", "2")]).toEqual([["2"], ["2", undefined]]);
    });

    it("is not answered by runs of other invocations or other sessions", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const other = { ...KEY, id: "other" };
      await store.createSession(KEY);
      await store.createSession(other);
      await ended(store, "1", "i", "awaiting_input");
      await ended(store, "2", "j", "awaiting_input");
      await started(store, "3", { session: other, invocationId: "i", opening: answer("there", "i") });
      await ended(store, "4", "k", "succeeded", [answer("new", "k")]);
      expect(await waiting(store)).toEqual(["2", "1"]);
      await ended(store, "5", "i", "succeeded", [answer("here", "i")]);
      expect([await waiting(store), await answers(store, "1", "2")]).toEqual([["2"], ["5", undefined]]);
    });

    it("is answered by a run that another holder recovers", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await ended(store, "asks", "i", "awaiting_input");
      const { lease } = await started(store, "answers", { invocationId: "i" });
      await store.release(lease);
      const again = await started(store, "answers", { invocationId: "i", holder: "runner 2" });
      const { run } = await store.finish({
        lease: again.lease,
        afterRevision: 0,
        events: [answer("yes", "i")],
        status: "succeeded",
      });
      expect([run.attempts, await waiting(store), await answers(store, "asks")]).toEqual([2, [], ["answers"]]);
    });

    it("goes with its session", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await ended(store, "asks", "i", "awaiting_input");
      await store.deleteSession(KEY);
      await store.createSession(KEY);
      await ended(store, "answers", "i", "succeeded", [answer("yes", "i")]);
      expect([await store.get("asks"), await waiting(store)]).toEqual([undefined, []]);
    });
  });
}
