import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { type FirestoreCall, FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import {
  beginRequest,
  changing,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  said,
  started,
} from "#test/contract/sessions/session-world.ts";
import { isServed } from "#test/helpers/firestore-indexes.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";

const BIG = "x".repeat(900_000);
/** Firestore's own limits are reached first. */
const WIDE_LIMITS = { maxStateBytes: 2 ** 24, maxStateKeys: 10_000, maxImportedEvents: 10_000 };

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreSessionStore", { timeout: 60_000 }, () => {
  const { newProject, openDatabase } = useFirestore();

  /** Stores over one database, as in several processes, and their calls. */
  function startWorld(stores = 1) {
    const calls: FirestoreCall[] = [];
    const projectId = newProject();
    const clock = new FixedClock(NOW);
    const databases = Array.from({ length: stores }, () =>
      openDatabase({ projectId, observeCall: (call) => calls.push(call) }),
    );
    return {
      clock,
      database: databases[0]!,
      stores: databases.map(
        (database, index) =>
          new FirestoreSessionStore({ database, clock, ids: new SequentialIds(`id${index}`), limits: WIDE_LIMITS }),
      ),
      /** The methods called since the last look. */
      takeCalls: () => calls.splice(0).map(({ method }) => method),
      takeCountedCalls: () => calls.splice(0).map(({ method, count }) => ({ method, count })),
      queries: () => calls.flatMap(({ query }) => query ?? []),
      [Symbol.asyncDispose]: async () => {
        await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
      },
    };
  }

  it("makes a turn of one batched read and two commits, whatever the length of the history, and one for what is stored between", async () => {
    await using world = startWorld();
    const [store] = world.stores;
    const history = Array.from({ length: 300 }, (_, index) => said(`h${index}`));
    await store!.createSession({ ...KEY, events: history, state: { "app:a": 1 } });
    world.takeCalls();
    const { lease } = await started(store!, "run", {
      haveRevision: 300,
      idempotencyKey: "key",
      opening: { ...record("0", { c: 3, "app:c": 3 }), invocationId: "invocation of run" },
    });
    expect(world.takeCalls()).toEqual(["batchGetDocuments", "commit"]);
    await store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 301, events: [record("1", { a: 1, "user:b": 2 })] });
    expect(world.takeCalls()).toEqual(["commit"]);
    await store!.renew(lease, LEASE_MS);
    expect(world.takeCalls()).toEqual(["commit"]);
    await store!.finish({ lease, afterRevision: 302, events: [record("2")], status: "succeeded" });
    expect(world.takeCalls()).toEqual(["commit"]);
  });

  it.each([300, 3000])("begins a cold run on %i events with what the history start asks for", async (length) => {
    await using world = startWorld(2);
    const [one, other] = world.stores;
    await one!.createSession({ ...KEY, events: Array.from({ length }, (_, index) => said(`h${index}`)) });
    const { lease } = await started(one!, "first", { fromHistoryStart: true, haveRevision: length });
    const historyStart = { from: length, earlier: [2, 7] };
    const append = { lease, leaseMs: LEASE_MS, afterRevision: length, historyStart };
    world.takeCalls();
    await one!.append({ ...append, events: [record("1")] });
    expect(world.takeCalls()).toEqual(["commit"]);
    await one!.finish({ lease, afterRevision: length + 1, events: [], status: "succeeded" });
    // A process reads the deletions in progress every few seconds, whatever begins.
    await other!.listDeletions();
    world.takeCalls();
    const { snapshot } = await started(other!, "second", { fromHistoryStart: true });
    expect(snapshot.events.map(({ sequence }) => sequence)).toEqual([2, 7, length, length + 1]);
    // The head, both shared states and the run; the newest events; the two earlier ones; the lease.
    const calls = world.takeCountedCalls();
    expect(calls).toEqual([
      { method: "batchGetDocuments", count: 4 },
      { method: "runQuery", count: 1 },
      { method: "batchGetDocuments", count: 2 },
      { method: "commit", count: 2 },
    ]);
  });

  it("reads the heads of many sessions in one call, a session that is named twice once", async () => {
    await using world = startWorld();
    await world.stores[0]!.getHeads([KEY, { ...KEY, id: "a" }, KEY]);
    expect(world.takeCountedCalls()).toEqual([{ method: "batchGetDocuments", count: 2 }]);
  });

  it("reads the head and the run once when another process continues a run", async () => {
    await using world = startWorld(2);
    const [one, other] = world.stores;
    await one!.createSession(KEY);
    const { lease, run } = await started(one!, "run");
    world.takeCalls();
    const { request } = run;
    await other!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
    expect(world.takeCalls()).toEqual(["batchGetDocuments", "commit"]);
    const finished = await other!.finish({ lease, afterRevision: 1, events: [], status: "succeeded" });
    expect([world.takeCalls(), finished.run.request]).toEqual([["commit"], request]);
    expect(await one!.get("run")).toEqual(finished.run);
  });

  it("knows the request of a run that another process began and that it changed the state of", async () => {
    await using world = startWorld(2);
    const [one, other] = world.stores;
    await one!.createSession(KEY);
    const { lease, run } = await started(one!, "run");
    await other!.applyStateDelta({ ...KEY, stateDelta: { a: 1 }, author: "user", invocationId: "i" });
    const finished = await other!.finish({ lease, afterRevision: 1, events: [], status: "succeeded" });
    expect(finished.run.request).toEqual(run.request);
  });

  it("reads again, and not forever, when events are missing that the head counts", async () => {
    await using world = startWorld();
    const [store] = world.stores;
    await store!.createSession({ ...KEY, events: [said("1"), said("2")] });
    const path = "fairlead/app/users/user/sessions/session/user-event/000000000001";
    await world.database.commit([{ kind: "delete", path }]);
    world.takeCalls();
    expect((await store!.getSession(KEY))?.events.map(({ id }) => id)).toEqual(["2"]);
    expect(world.takeCalls()).toEqual(Array(3).fill(["batchGetDocuments", "runQuery"]).flat());
  });

  it("reads again once when another process has changed the session, and loses nothing", async () => {
    await using world = startWorld(2);
    const [one, other] = world.stores;
    await one!.createSession(KEY);
    const { lease } = await started(one!, "run");
    await other!.applyStateDelta({ ...KEY, stateDelta: { a: 1 }, author: "user", invocationId: "i" });
    world.takeCalls();
    const appended = await one!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
    expect([appended.stored[0]?.sequence, appended.missed.map(({ sequence }) => sequence)]).toEqual([2, [1]]);
    expect(world.takeCalls()).toEqual(["commit", "batchGetDocuments", "runQuery", "commit"]);
  });

  it("does not refuse a writer for what only this process still remembers", async () => {
    await using world = startWorld(2);
    const [one, other] = world.stores;
    await one!.createSession(KEY);
    const first = await started(one!, "first");
    await other!.finish({ lease: first.lease, afterRevision: 0, events: [], status: "succeeded" });
    const second = await started(other!, "second");
    await one!.append({ lease: second.lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
    await expect(one!.renew(first.lease, LEASE_MS)).rejects.toMatchObject({ reason: "LEASE_LOST" });
    await other!.deleteSession(KEY);
    await expect(one!.renew(second.lease, LEASE_MS)).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  });

  it("gives the lease to exactly one of the runs that begin concurrently in several processes", async () => {
    await using world = startWorld(4);
    await world.stores[0]!.createSession(KEY);
    const results = await Promise.all(
      world.stores.flatMap((store, process) =>
        [1, 2, 3].map((n) => store.begin(beginRequest(`run ${process} ${n}`, { holder: `runner ${process} ${n}` }))),
      ),
    );
    const behind = results.flatMap((result) => (result.kind === "queued" ? [result.behind] : []));
    expect([results.filter(({ kind }) => kind === "started").length, new Set(behind).size]).toEqual([1, 11]);
  });

  it("gives every event of writers in several processes its own place, without gaps", async () => {
    await using world = startWorld(3);
    const [first] = world.stores;
    const session = await first!.createSession(KEY);
    await Promise.all(
      world.stores.map(async (store, writer) => {
        for (let n = 0; n < 8; n += 1) {
          await store.appendEvent(
            { ...session, events: [], state: {} },
            changing(`${writer}-${n}`, { [`user:${writer}-${n}`]: n }),
          );
        }
      }),
    );
    const { events } = await first!.listEventRecords(KEY);
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
    expect([
      new Set(events.map(({ id }) => id)).size,
      Object.keys((await first!.getSession(KEY))?.state ?? {}).length,
    ]).toEqual([24, 24]);
  });

  it("lets one of several processes create a session", async () => {
    await using world = startWorld(3);
    const results = await Promise.allSettled(world.stores.map((store) => store.createSession(KEY)));
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason.reason] : []));
    expect(refusals).toEqual(["SESSION_ALREADY_EXISTS", "SESSION_ALREADY_EXISTS"]);
  });

  it("refuses an event that no document can hold before it sends anything", async () => {
    await using world = startWorld();
    const [store] = world.stores;
    const session = await store!.createSession(KEY);
    const { lease } = await started(store!, "run");
    world.takeCalls();
    const huge = record("1".repeat(10), { huge: "y".repeat(1_100_000) });
    const tooLarge = { reason: "EVENT_TOO_LARGE" };
    await expect(store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [huge] })).rejects.toMatchObject(
      tooLarge,
    );
    expect(world.takeCalls()).toEqual([]);
    await expect(store!.appendEvent(session, changing("2", { [BIG]: 1 }))).rejects.toMatchObject({
      reason: "INVALID_FIELD",
    });
    await store!.appendEvent(session, changing("3", { one: BIG }));
    await expect(store!.appendEvent(session, changing("4", { two: BIG }))).rejects.toMatchObject(tooLarge);
    expect((await store!.getSession(KEY))?.revision).toBe(1);
    const request = { newMessage: { role: "user", parts: [{ text: "z".repeat(1_100_000) }] } };
    await expect(store!.begin(beginRequest("other", { request }))).rejects.toMatchObject(tooLarge);
    await expect(store!.createSession({ ...OWNER, state: { a: BIG, b: BIG } })).rejects.toMatchObject(tooLarge);
  });

  it("stores events that do not fit into one commit, once, however often the call is repeated", async () => {
    await using world = startWorld();
    const [store] = world.stores;
    await store!.createSession(KEY);
    const { lease } = await started(store!, "run");
    const big = (id: string) => ({
      ...record(id, { [id]: 1 }),
      json: JSON.stringify({ ...changing(id, { [id]: 1 }), errorMessage: BIG }),
    });
    const events = ["1", "2", "3", "4", "5", "6", "7"].map(big);
    const first = await store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events });
    const again = await store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [...events, big("8")] });
    expect([first.revision, again.revision, again.stored.map(({ sequence }) => sequence), again.missed]).toEqual([
      7,
      8,
      [1, 2, 3, 4, 5, 6, 7, 8],
      [],
    ]);
    const last = {
      lease: again.lease,
      afterRevision: 8,
      events: ["a", "b", "c", "d"].map(big),
      status: "succeeded",
    } as const;
    const finished = await store!.finish(last);
    expect([finished.revision, finished.stored.length, await store!.finish(last)]).toEqual([12, 4, finished]);
    expect(Object.keys((await store!.getSession(KEY, { numRecentEvents: 0 }))?.state ?? {})).toHaveLength(12);
  });

  it("shows a session with a long history only when all of it is stored, and removes it in pages", async () => {
    verifies("states:delete-session:events");
    await using world = startWorld();
    const [store] = world.stores;
    const events = Array.from({ length: 1100 }, (_, index) => said(`${index}`));
    const created = await store!.createSession({ ...KEY, state: { a: 1, "user:b": 1 }, events });
    const read = await store!.getSession(KEY);
    expect([read, read?.events.length]).toEqual([created, 1100]);
    expect((await store!.listSessions(OWNER)).sessions).toEqual([{ ...created, events: [] }]);
    await store!.deleteSession(KEY);
    world.takeCalls();
    expect(await store!.createSession(KEY)).toEqual({
      ...created,
      state: { "user:b": 1 },
      events: [],
      lastUpdateTime: NOW,
      revision: 0,
    });
    expect(await store!.listEventRecords(KEY)).toEqual({ events: [] });
  });

  it.each(["delete", "create"] as const)("continues a removal that broke off, for a %s", async (how) => {
    await using world = startWorld();
    const [store] = world.stores;
    await store!.createSession({ ...KEY, events: [said("1"), said("2")] });
    await started(store!, "run", { idempotencyKey: "key" });
    const path = "fairlead/app/users/user/sessions/session";
    const fields = { deleted: true, listed: false };
    await world.database.commit([{ kind: "update", path, fields, mask: ["deleted", "listed"], expect: "exists" }]);
    expect([await store!.getSession(KEY), await store!.listSessions(OWNER)]).toEqual([undefined, { sessions: [] }]);
    if (how === "delete") await store!.deleteSession(KEY);
    else await store!.createSession(KEY);
    const remains = await world.database.read([
      path,
      `${path}/user-event/000000000001`,
      `${path}/run-keys/key`,
      "fairlead/_/runs/run",
    ]);
    expect([...remains.keys()]).toEqual(how === "delete" ? [] : [path]);
  });

  it("asks no query that the index file does not serve", async () => {
    await using world = startWorld();
    const [store] = world.stores;
    const session = await store!.createSession({ ...KEY, events: [said("1")] });
    await store!.appendEvent({ ...session, events: [] }, said("2"));
    await store!.listEventRecords({ ...KEY, pageSize: 1 });
    await store!.listSessions(OWNER);
    for (const which of [{}, { session: KEY }, { appName: "app" }]) {
      await store!.list(which);
      await store!.list({ ...which, statuses: ["running", "pending"] });
    }
    await store!.listAbandoned({ minAgeMs: 0, limit: 1 });
    await store!.deleteSession(KEY);
    const queries = world.queries();
    expect(new Set(queries.map(({ collection }) => collection))).toEqual(
      new Set(["sessions", "user-event", "runs", "run-keys", "deletions"]),
    );
    expect(queries.filter((query) => !isServed(query))).toEqual([]);
  });

  it("keeps documents where other programs look for them", async () => {
    await using world = startWorld();
    const [store] = world.stores;
    await store!.createSession({
      ...KEY,
      id: "a/b",
      state: { x: 1, "app:y": [[2]], "user:__z__": null, "user:z.`": "3" },
    });
    const paths = [
      "fairlead/app/users/user/sessions/a%2Fb",
      "fairlead/app/app-state/current",
      "fairlead/app/users/user/user-state/current",
    ];
    const found = await world.database.read(paths);
    expect(found.get(paths[0]!)?.fields).toMatchObject({
      id: "a/b",
      appName: "app",
      userId: "user",
      updateTime: NOW,
      state: { x: "1" },
    });
    expect([found.get(paths[1]!)?.fields, found.get(paths[2]!)?.fields]).toEqual([
      { state: { y: "[[2]]" } },
      { state: { "z.`": '"3"' } },
    ]);
  });
});

describe("FirestoreDatabase", () => {
  it("gives up a call that is not answered, at its deadline, without repeating it", async () => {
    let connections = 0;
    const silent = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const calls: FirestoreCall[] = [];
    const database = new FirestoreDatabase({
      projectId: "p",
      emulatorHost: `127.0.0.1:${port}`,
      deadlineMs: 200,
      observeCall: (call) => calls.push(call),
    });
    const store = new FirestoreSessionStore({ database });
    const unavailable = { reason: "STORE_UNAVAILABLE", message: "The session store did not answer. Try again." };
    await expect(store.getSession(KEY)).rejects.toMatchObject(unavailable);
    await expect(store.listSessions(OWNER)).rejects.toMatchObject(unavailable);
    await expect(database.commit([{ kind: "delete", path: "a/b" }])).rejects.toMatchObject(unavailable);
    expect([calls.length, connections > 0]).toEqual([3, true]);
    await database[Symbol.asyncDispose]();
    silent.close();
  });
});
