import { describe, expect, it } from "vitest";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  refusal,
  type SessionStore,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
  storedIds,
} from "./session-world.ts";

/** The behaviour of every `RunJournal`, whose store is the `SessionService` too. */
export function runJournalContract(contract: SessionStoreContract): void {
  describe("a run", () => {
    it("begins, appends and finishes, and its record shows that", async () => {
      verifies("states:run-states");
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession({ ...KEY, state: { a: 1, "app:b": 2 } });
      const deadline = NOW + 60_000;
      const streamKey = newStreamKey();
      const begun = await store.begin(beginRequest("run", { deadline, idempotencyKey: "key", streamKey }));
      const running: RunRecord = {
        runId: "run",
        session: KEY,
        invocationId: "invocation of run",
        request: { newMessage: { role: "user", parts: [{ text: "run" }] } },
        status: "running",
        policy: "enqueue",
        attempts: 1,
        epoch: 1,
        holder: "runner 1",
        createdTime: NOW,
        startedTime: NOW,
        deadline,
        cancelRequested: false,
        idempotencyKey: "key",
        streamKey,
        baseRevision: 0,
      };
      const lease = { runId: "run", session: KEY, holder: "runner 1", epoch: 1, expiresAt: NOW + LEASE_MS };
      const state = { a: 1, "app:b": 2 };
      const snapshot = {
        incarnation: expect.any(String),
        revision: 0,
        events: [],
        complete: true,
        state,
        lastUpdateTime: NOW,
      };
      expect(begun).toEqual({ kind: "started", lease, run: running, snapshot, opened: false });
      expect(await store.get("run")).toEqual(running);

      clock.advance(1000);
      const first = record("1", { a: 2, "user:c": 3 });
      const appended = await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [first, record("2")] });
      const extended = { ...lease, expiresAt: NOW + 1000 + LEASE_MS };
      const stored = [
        { ...first, sequence: 1 },
        { ...record("2"), sequence: 2 },
      ];
      expect(appended).toEqual({ lease: extended, revision: 2, stored, missed: [], cancelRequested: false });

      clock.advance(1000);
      const usage = { totalTokenCount: 7 };
      const finished = await store.finish({
        lease: extended,
        afterRevision: 2,
        events: [record("3")],
        status: "succeeded",
        usage,
      });
      const { holder: _, ...rest } = running;
      const run = { ...rest, status: "succeeded", finishedTime: NOW + 2000, usage };
      expect(finished).toEqual({ run, revision: 3, stored: [{ ...record("3"), sequence: 3 }], missed: [] });
      expect(await store.get("run")).toEqual(run);
      const session = await store.getSession(KEY);
      expect([session?.state, session?.revision, session?.lastUpdateTime]).toEqual([
        { a: 2, "app:b": 2, "user:c": 3 },
        3,
        NOW,
      ]);
    });

    it("ends as failed with its error and without events", async () => {
      await using world = await startSessionWorld(contract);
      await world.store.createSession(KEY);
      const { lease } = await started(world.store, "run");
      const error = { code: "INTERNAL", reason: "RUN_FAILED", message: "It broke." };
      const { run } = await world.store.finish({ lease, afterRevision: 0, events: [], status: "failed", error });
      expect([run.status, run.error, await world.store.get("run")]).toEqual(["failed", error, run]);
    });

    it("needs a session, or is asked to create it", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await expect(store.begin(beginRequest("run"))).rejects.toMatchObject(refusal("SESSION_NOT_FOUND"));
      expect(await store.get("run")).toBeUndefined();
      await started(store, "run", { request: { autoCreateSession: true } });
      expect((await store.getSession(KEY))?.revision).toBe(0);
    });

    it("does not take the id of another session's run, and creates nothing then", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await started(store, "run");
      const other = beginRequest("run", { session: { ...KEY, id: "new" }, request: { autoCreateSession: true } });
      await expect(store.begin(other)).rejects.toMatchObject(refusal("INVALID_FIELD", { field: "runId" }));
      expect(await store.getSession({ ...KEY, id: "new" })).toBeUndefined();
    });

    it("refuses bad ids", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const begin = (overrides: object) => store.begin({ ...beginRequest("run"), ...overrides });
      await expect(begin({ runId: "" })).rejects.toMatchObject(refusal("INVALID_IDENTIFIER", { field: "runId" }));
      await expect(begin({ session: { ...KEY, id: "\n" } })).rejects.toMatchObject(
        refusal("INVALID_IDENTIFIER", { field: "sessionId" }),
      );
    });
  });

  describe("the snapshot of the session that a run gets", () => {
    it("is only what the caller lacks, and everything when its copy is ahead or of an earlier session", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession({ ...KEY, events: [said("1"), said("2"), said("3")] });
      const begin = async (runId: string, overrides: object) => {
        const { snapshot, lease } = await started(store, runId, overrides);
        await store.finish({ lease, afterRevision: 3, events: [], status: "succeeded" });
        return [snapshot.events.map((event) => event.sequence).join(), snapshot.complete, snapshot.revision];
      };
      expect(await begin("a", { haveRevision: 0 })).toEqual(["1,2,3", true, 3]);
      expect(await begin("b", { haveRevision: 2 })).toEqual(["3", false, 3]);
      expect(await begin("c", { haveRevision: 3 })).toEqual(["", false, 3]);
      expect(await begin("d", { haveRevision: 9 })).toEqual(["1,2,3", true, 3]);
      const { incarnation } = (await started(store, "e")).snapshot;
      await store.deleteSession(KEY);
      await store.createSession({ ...KEY, events: [said("x"), said("y"), said("z")] });
      expect(await begin("f", { haveRevision: 2, haveIncarnation: incarnation })).toEqual(["1,2,3", true, 3]);
    });

    it("has what others stored while it ran", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "run");
      const outside = { ...KEY, author: "user", invocationId: "outside" };
      await store.applyStateDelta({ ...outside, stateDelta: { a: 1 } });
      const appended = await store.append({
        lease,
        leaseMs: LEASE_MS,
        afterRevision: 0,
        events: [record("1", { b: 2 })],
      });
      expect(appended.missed.map(({ sequence, stateDelta }) => ({ sequence, stateDelta }))).toEqual([
        { sequence: 1, stateDelta: { a: 1 } },
      ]);
      expect([appended.stored[0]?.sequence, appended.revision]).toEqual([2, 2]);
      await store.applyStateDelta({ ...outside, stateDelta: { a: 3 } });
      const finished = await store.finish({ lease, afterRevision: 2, events: [], status: "succeeded" });
      expect(finished.missed.map(({ sequence, stateDelta }) => ({ sequence, stateDelta }))).toEqual([
        { sequence: 3, stateDelta: { a: 3 } },
      ]);
      expect((await store.getSession(KEY))?.state).toEqual({ a: 3, b: 2 });
    });
  });

  describe("repeating a call", () => {
    it("appends no event twice and answers with the places they have", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "run");
      const events = [record("1", { n: 1 }), record("2")];
      const first = await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events });
      await store.applyStateDelta({ ...KEY, stateDelta: { n: 5 }, author: "user", invocationId: "i" });
      const again = await store.append({
        lease,
        leaseMs: LEASE_MS,
        afterRevision: 0,
        events: [...events, record("3"), record("3")],
      });
      expect(again.stored.map(({ id, sequence }) => `${sequence}:${id}`)).toEqual(["1:1", "2:2", "4:3", "4:3"]);
      expect([first.revision, again.revision, again.missed.map((event) => event.sequence)]).toEqual([2, 4, [3]]);
      expect((await store.getSession(KEY))?.state).toEqual({ n: 5 });
    });

    it.each(["succeeded", "failed", "cancelled", "interrupted", "timed_out", "awaiting_input"] as const)(
      "finishes once as %s and answers the record",
      async (status) => {
        verifies("states:run-states");
        await using world = await startSessionWorld(contract);
        const { store, clock } = world;
        await store.createSession(KEY);
        const { lease } = await started(store, "run");
        const request = { lease, afterRevision: 0, events: [record("1")], status };
        const finished = await store.finish(request);
        expect([finished.run.status, (await store.get("run"))?.status]).toEqual([status, status]);
        clock.advance(5);
        expect(await store.finish({ ...request, status: status === "failed" ? "succeeded" : "failed" })).toEqual(
          finished,
        );
        const more = store.finish({ ...request, events: [record("2")] });
        await expect(more).rejects.toMatchObject(refusal("LEASE_LOST", { runId: "run" }));
        expect(await storedIds(store)).toEqual(["1:1"]);
      },
    );

    it("begins a finished run no more", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease } = await started(store, "run");
      const { run } = await store.finish({ lease, afterRevision: 0, events: [], status: "awaiting_input" });
      expect(await store.begin(beginRequest("run"))).toEqual({ kind: "existing", run });
    });

    it("recognises a request by its idempotency key, within the session", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      await store.createSession({ ...KEY, id: "other" });
      const { lease, run } = await started(store, "run", { idempotencyKey: "key" });
      expect(await store.begin(beginRequest("again", { idempotencyKey: "key" }))).toEqual({ kind: "existing", run });
      const finished = await store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      expect(await store.begin(beginRequest("again", { idempotencyKey: "key" }))).toEqual({
        kind: "existing",
        run: finished.run,
      });
      await started(store, "different", { idempotencyKey: "key 2" });
      await started(store, "elsewhere", { idempotencyKey: "key", session: { ...KEY, id: "other" } });
    });

    it("keeps the key of its stream for all its holders, and refuses one that can be guessed", async () => {
      verifies("platform:redis:stream-keys:record");
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      await store.createSession(KEY);
      const streamKey = newStreamKey();
      await started(store, "run", { streamKey });
      await store.begin(beginRequest("next", { streamKey: newStreamKey() }));
      clock.advance(2 * LEASE_MS);
      const later = { holder: "runner 2", streamKey: newStreamKey() };
      expect((await started(store, "run", later)).run.streamKey).toBe(streamKey);
      expect((await store.get("run"))?.streamKey).toBe(streamKey);
      expect((await store.get("next"))?.streamKey).not.toBe(streamKey);
      for (const bad of ["", "guessable", `${streamKey}}:log`, "k".repeat(65)])
        await expect(store.begin(beginRequest("bad", { streamKey: bad }))).rejects.toMatchObject(
          refusal("INVALID_FIELD", { field: "streamKey" }),
        );
    });
  });

  describe("reading and cancelling runs", () => {
    it("lists newest first, filtered, in pages", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const other = { appName: "other", userId: "user", id: "session" };
      await store.createSession(KEY);
      await store.createSession(other);
      const { lease } = await started(store, "1");
      await store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      await started(store, "2", { session: other });
      await started(store, "3");
      await store.begin(beginRequest("4"));
      const list = async (request: Parameters<SessionStore["list"]>[0]) =>
        (await store.list(request)).runs.map((run) => run.runId).join();
      expect(await list({})).toBe("4,3,2,1");
      expect(await list({ session: KEY })).toBe("4,3,1");
      expect(await list({ appName: "other" })).toBe("2");
      expect(await list({ statuses: ["running"] })).toBe("3,2");
      expect(await list({ statuses: ["pending", "succeeded"], appName: "app" })).toBe("4,1");
      expect(await list({ session: { ...OWNER, id: "missing" } })).toBe("");
      expect(await list({ userId: "user" })).toBe("4,3,2,1");
      expect(await list({ userId: "user", appName: "app", pageSize: 2 })).toBe("4,3");
      expect(await list({ userId: "user", statuses: ["succeeded"] })).toBe("1");
      expect(await list({ userId: "nobody" })).toBe("");
      // No name has this character, and not every database can compare it.
      expect(await list({ userId: "user\0" })).toBe("");
      expect(await list({ appName: "other\0", userId: "user" })).toBe("");
      // Each member limits the list further, also beside a session that names another one.
      expect(await list({ session: KEY, userId: "user", appName: "app", statuses: ["running"] })).toBe("3");
      expect(await list({ session: KEY, userId: "nobody" })).toBe("");
      expect(await list({ session: KEY, appName: "other" })).toBe("");
      const first = await store.list({ session: KEY, pageSize: 2 });
      const second = await store.list({ session: KEY, pageSize: 2, pageToken: first.nextPageToken! });
      expect([first.runs.map((run) => run.runId), second]).toEqual([["4", "3"], { runs: [await store.get("1")] }]);
      await expect(store.list({ pageToken: "garbage" })).rejects.toMatchObject(
        refusal("INVALID_CURSOR", { field: "pageToken" }),
      );
    });

    it("cancels a pending run immediately and asks a running one", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const { lease, run } = await started(store, "running");
      await store.begin(beginRequest("pending"));
      expect(await store.cancel("pending")).toMatchObject({
        status: "cancelled",
        finishedTime: NOW,
        cancelRequested: true,
        attempts: 0,
      });
      expect(await store.begin(beginRequest("pending"))).toEqual({ kind: "existing", run: await store.get("pending") });
      expect(await store.cancel("running")).toEqual({ ...run, cancelRequested: true });
      const appended = await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
      expect([appended.cancelRequested, (await store.renew(lease, LEASE_MS)).cancelRequested]).toEqual([true, true]);
      const finished = await store.finish({ lease, afterRevision: 1, events: [], status: "cancelled" });
      expect(await store.cancel("running")).toEqual(finished.run);
      await expect(store.cancel("missing")).rejects.toMatchObject(refusal("RUN_NOT_FOUND", { runId: "missing" }));
    });
  });
}
