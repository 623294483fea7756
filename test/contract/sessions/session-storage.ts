import { expect, it } from "vitest";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { completeStorageLimits, type GivenStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import type { StorageCount, StorageLimits, StorageReader } from "#ports/storage-limits/storage-limits.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  type SessionStoreContract,
  said,
  started,
} from "./session-world.ts";

type Store = SessionService & RunJournal & StorageReader;

type Sources = Parameters<SessionStoreContract["create"]>[0];

export interface SessionStorageContract {
  /** An empty store with these limits. */
  readonly create: (
    sources: Sources & { readonly storage: StorageLimits },
  ) => Promise<{ readonly store: Store; readonly dispose: () => Promise<void> }>;
}

const USER: StorageCount = { scope: "user", name: OWNER.userId };
const APP: StorageCount = { scope: "app", name: OWNER.appName };
const TENANT: StorageCount = { scope: "tenant", name: "" };
const NOTHING = { sessions: 0, storedBytes: 0 };

/** A store whose limits a test may change. */
async function startWorld({ create }: SessionStorageContract, limits: GivenStorageLimits) {
  let current = completeStorageLimits(limits);
  const storage: StorageLimits = {
    get counted() {
      return current.counted;
    },
    maxOf: (...of) => current.maxOf(...of),
  };
  const { store, dispose } = await create({ clock: new FixedClock(NOW), ids: new SequentialIds(), storage });
  return {
    store,
    setLimits: (changed: GivenStorageLimits) => {
      current = completeStorageLimits(changed);
    },
    stored: async (count = USER) => (await store.readStorage([count]))[0],
    [Symbol.asyncDispose]: dispose,
  };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}

function exceeded(scope: string, limit: string, max: number) {
  return {
    reason: "QUOTA_EXCEEDED",
    code: "RESOURCE_EXHAUSTED",
    message: `The quota of this ${scope} is used up: ${limit} is ${max}. Delete sessions to make room.`,
    details: { limit, scope, window: "now", unit: limit === "sessions" ? "sessions" : "bytes", max: String(max) },
  };
}

/** The limits of stored sessions and bytes in every store. */
export function sessionStorageContract(contract: SessionStorageContract): void {
  it("creates exactly as many sessions as the limit allows, of many at the same time", async () => {
    verifies("quotas:storage");
    await using world = await startWorld(contract, { user: { sessions: 10 } });
    const { store } = world;
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => store.createSession({ ...OWNER, id: `s${index}` })),
    );
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refusals.length).toBe(40);
    for (const refusal of refusals) expect(refusal).toMatchObject(exceeded("user", "sessions", 10));
    expect((await store.listSessions(OWNER)).sessions.length).toBe(10);
    expect(await world.stored()).toEqual({ sessions: 10, storedBytes: 0 });
  });

  it("creates exactly as many sessions as the limit allows by runs that create them", async () => {
    await using world = await startWorld(contract, { tenant: { sessions: 3 } });
    const { store } = world;
    const begin = (id: string) =>
      store.begin(beginRequest(`run of ${id}`, { session: { ...OWNER, id }, request: { autoCreateSession: true } }));
    const results = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => begin(`s${index}`)));
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(3);
    expect((await store.list({})).runs.length).toBe(3);
    expect((await store.listSessions(OWNER)).sessions.length).toBe(3);
  });

  it("gives the room back that a deletion makes, once", async () => {
    await using world = await startWorld(contract, { app: { sessions: 1 } });
    const { store } = world;
    await store.createSession({ ...KEY, events: [said("1")] });
    await expect(store.createSession({ ...OWNER, id: "other" })).rejects.toMatchObject(exceeded("app", "sessions", 1));
    await store.deleteSession(KEY);
    await store.deleteSession(KEY);
    expect(await world.stored(APP)).toEqual(NOTHING);
    await store.createSession({ ...OWNER, id: "other" });
    expect(await world.stored(APP)).toEqual({ sessions: 1, storedBytes: 0 });
  });

  it("counts the bytes of events, of runs' requests and of the state of a new session", async () => {
    await using world = await startWorld(contract, { user: { storedBytes: 10_000 } });
    const { store } = world;
    const state = { word: "é" };
    await store.createSession({ ...KEY, state });
    let bytes = bytesOf(state);
    expect(await world.stored()).toEqual({ sessions: 1, storedBytes: bytes });
    const session = await store.getSession(KEY);
    if (session === undefined) throw new Error("The session is missing.");
    const event = said("outside");
    await store.appendEvent(session, event);
    await store.appendEvent(session, event);
    const opening = { ...record("opening"), invocationId: "invocation of run" };
    const { lease } = await started(store, "run", { opening });
    const [one, two] = [record("1"), record("2")];
    await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 2, events: [one] });
    await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 2, events: [one] });
    await store.finish({ lease, afterRevision: 3, events: [two], status: "succeeded" });
    const { events } = await store.listEventRecords(KEY);
    for (const { json } of events) bytes += bytesOf(json);
    bytes += bytesOf(beginRequest("run").request);
    expect(events.length).toBe(4);
    expect(await world.stored()).toEqual({ sessions: 1, storedBytes: bytes });
    const { appName, userId, id: sessionId } = KEY;
    const old = { appName, userId, items: [{ sessionId, id: "run" }], before: NOW + 1 };
    expect(await oldDataOf(store).deleteOldData(old)).toBe(1);
    bytes -= bytesOf(beginRequest("run").request);
    expect(await world.stored()).toEqual({ sessions: 1, storedBytes: bytes });
    await store.deleteSession(KEY);
    expect(await world.stored()).toEqual(NOTHING);
  });

  it("refuses what has no room before anything changes", async () => {
    verifies("quotas:storage");
    await using world = await startWorld(contract, { user: { storedBytes: 400 } });
    const { store } = world;
    const full = exceeded("user", "storedBytes", 400);
    const large = said("x".repeat(400));
    await expect(store.createSession({ ...KEY, events: [large] })).rejects.toMatchObject(full);
    await expect(store.createSession({ ...KEY, state: { text: "x".repeat(400) } })).rejects.toMatchObject(full);
    expect(await store.getSession(KEY)).toBeUndefined();
    const session = await store.createSession(KEY);
    await expect(store.appendEvent(session, large)).rejects.toMatchObject(full);
    const stateDelta = { text: "x".repeat(400) };
    const delta = store.applyStateDelta({ ...KEY, stateDelta, author: "user", invocationId: "p" });
    await expect(delta).rejects.toMatchObject(full);
    const request = { newMessage: { role: "user", parts: [{ text: "x".repeat(400) }] } };
    await expect(store.begin(beginRequest("run", { request }))).rejects.toMatchObject(full);
    expect([await store.get("run"), (await store.getSession(KEY))?.events]).toEqual([undefined, []]);
    expect(await world.stored()).toEqual({ sessions: 1, storedBytes: 0 });
    await started(store, "next");
  });

  it("stores the events of a run that has begun, also over the limit, and begins no other", async () => {
    verifies("quotas:storage-run");
    await using world = await startWorld(contract, { tenant: { storedBytes: 500 } });
    const { store } = world;
    await store.createSession(KEY);
    const { lease } = await started(store, "run");
    const events = [record("1", { text: "x".repeat(1000) })];
    await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events });
    const refused = store.begin(beginRequest("other"));
    await expect(refused).rejects.toMatchObject(exceeded("tenant", "storedBytes", 500));
    // A run that begins again is the same run: it is recovered.
    const again = await store.begin(beginRequest("run"));
    if (again.kind !== "started") throw new Error("The run was not recovered.");
    await store.finish({ lease: again.lease, afterRevision: 1, events: [record("2")], status: "succeeded" });
    expect((await store.getSession(KEY))?.events.map(({ id }) => id)).toEqual(["1", "2"]);
    await store.deleteSession(KEY);
    await store.createSession(KEY);
    await started(store, "other");
  });

  it("counts a session from before its scope had a limit with its next write, and forgets it when it is deleted", async () => {
    verifies("quotas:storage-earlier");
    await using world = await startWorld(contract, {});
    const { store } = world;
    const session = await store.createSession({ ...KEY, events: [said("1")] });
    const own = bytesOf((await store.listEventRecords(KEY)).events[0]?.json);
    await store.createSession({ ...OWNER, id: "untouched", events: [said("1")] });
    world.setLimits({ user: { sessions: 1, storedBytes: 100_000 } });
    expect(await world.stored()).toEqual(NOTHING);
    await store.appendEvent(session, said("2"));
    expect(await world.stored()).toEqual({ sessions: 1, storedBytes: 2 * own });
    // A limit that is lifted for a time leaves no wrong count.
    world.setLimits({ app: { sessions: 5 } });
    await store.appendEvent(session, said("3"));
    await store.createSession({ ...OWNER, id: "later" });
    expect(await world.stored()).toEqual({ sessions: 1, storedBytes: 3 * own });
    expect(await world.stored(APP)).toEqual({ sessions: 2, storedBytes: 3 * own });
    world.setLimits({});
    for (const id of [KEY.id, "untouched", "later"]) await store.deleteSession({ ...OWNER, id });
    expect(await store.readStorage([USER, APP, TENANT])).toEqual([NOTHING, NOTHING, NOTHING]);
  });

  it("counts tenants, users and apps apart", async () => {
    await using world = await startWorld(contract, {
      user: { sessions: 2 },
      app: { sessions: 3 },
      tenant: { sessions: 4 },
    });
    const { store } = world;
    const create = (appName: string, userId: string, tenantId?: string) =>
      store.createSession({ ...(tenantId !== undefined && { tenantId }), appName, userId });
    await create("app", "ada");
    await create("other", "ada");
    await expect(create("third", "ada")).rejects.toMatchObject(exceeded("user", "sessions", 2));
    await create("app", "bob");
    await create("app", "cid");
    await expect(create("app", "dan")).rejects.toMatchObject(exceeded("app", "sessions", 3));
    await expect(create("third", "dan")).rejects.toMatchObject(exceeded("tenant", "sessions", 4));
    await create("app", "ada", "acme");
    const ada = { scope: "user", name: "ada" } as const;
    const counts = await store.readStorage([ada, { ...ada, tenantId: "acme" }, APP, TENANT, { ...ada, name: "no" }]);
    expect(counts.map(({ sessions }) => sessions)).toEqual([2, 1, 3, 4, 0]);
  });
}
