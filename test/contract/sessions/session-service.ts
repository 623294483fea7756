import { expect, it } from "vitest";
import type { Event } from "#kit/events/event.ts";
import { EVALUATION_SESSION_PREFIX } from "#kit/events/state-prefixes.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ListEventsRequest } from "#kit/sessions/session-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  changing,
  KEY,
  NOW,
  OWNER,
  refusal,
  type SessionServiceContract,
  said,
  startSessionWorld,
} from "./session-world.ts";

const AWKWARD_IDS = [
  "a/b",
  "a%2Fb",
  "a\\b",
  ".",
  "..",
  "__proto__",
  "constructor",
  "ä",
  "a\u0308",
  "日本語 🎲",
  "a b",
  "_x",
  "'; --",
];

/** The behaviour of every `SessionService` of our own, without state (see session-state.ts). */
export function sessionServiceContract(contract: SessionServiceContract): void {
  commonSessionContract(contract);
  ownIdsContract(contract);
}

/** Ids of any characters, which each user of each app has for itself. */
function ownIdsContract(contract: SessionServiceContract): void {
  it("lets other users and apps use the same id", async () => {
    await using world = await startSessionWorld(contract);
    await world.store.createSession(KEY);
    await world.store.createSession({ ...KEY, userId: "other user" });
    await world.store.createSession({ ...KEY, appName: "other app" });
  });

  it("keeps apart sessions of other apps, users and awkward ids", async () => {
    verifies("what-the-service-does:sessions-of-app-and-user");
    await using world = await startSessionWorld(contract);
    const keys = AWKWARD_IDS.flatMap((id) => [
      { ...OWNER, id },
      { appName: id, userId: "user", id: "session" },
      { appName: "app", userId: id, id: "session" },
    ]);
    for (const [value, key] of keys.entries()) await world.store.createSession({ ...key, state: { value } });
    const values = await Promise.all(keys.map(async (key) => (await world.store.getSession(key))?.state["value"]));
    expect(values).toEqual([...keys.keys()]);
    for (const key of keys.slice(1)) await world.store.deleteSession(key);
    expect((await world.store.getSession(keys[0]!))?.state).toEqual({ value: 0 });
  });
}

/** What services of others have too. Lists of these need not know how many events a session has. */
export function commonSessionContract(contract: SessionServiceContract): void {
  const { features = {} } = contract;

  it("creates a session with a generated id and no state", async () => {
    verifies(
      "what-the-service-does:kit-session-services",
      "states:create-session:generates-id",
      "states:create-session:state-default",
      "operations:session:create",
      "session:field:app-name",
      "session:field:user-id",
      "session:field:last-update-time",
    );
    await using world = await startSessionWorld(contract);
    const one = await world.store.createSession(OWNER);
    const other = await world.store.createSession(OWNER);
    expect(one).toEqual({ ...OWNER, id: one.id, state: {}, events: [], lastUpdateTime: NOW, revision: 0 });
    expect(one.id).not.toBe(other.id);
    expect(await world.store.getSession(one)).toEqual(one);
  });

  it("creates a session with a given id, and refuses the id a second time", async () => {
    verifies(
      "states:create-session:given-id",
      "operations:session:create-by-key",
      "session:key:triple",
      "session:field:id",
    );
    await using world = await startSessionWorld(contract);
    expect((await world.store.createSession(KEY)).id).toBe("session");
    await expect(world.store.createSession(KEY)).rejects.toMatchObject(refusal("SESSION_ALREADY_EXISTS"));
  });

  it("creates a session with a history", async () => {
    await using world = await startSessionWorld(contract);
    const events = [
      changing("1", { a: 1, b: 1 }),
      said("2", { partial: true }),
      { ...changing("3", { b: null }), timestamp: 7 },
    ];
    const created = await world.store.createSession({ ...KEY, state: { a: 0, c: 0 }, events });
    const expected = { ...KEY, state: { a: 1, c: 0 }, events: [events[0], events[2]], lastUpdateTime: 7, revision: 2 };
    expect(created).toEqual(expected);
    expect(await world.store.getSession(KEY)).toEqual(expected);
  });

  it.each([
    ["appName", { ...KEY, appName: "" }],
    ["userId", { ...KEY, userId: "x".repeat(257) }],
    ["sessionId", { ...KEY, id: "a\u0000b" }],
  ])("refuses a bad %s in every operation", async (field, key) => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const session = { ...key, state: {}, events: [], lastUpdateTime: 0, revision: 0 };
    const calls = [
      store.createSession(key),
      store.getSession(key),
      store.deleteSession(key),
      store.listEventRecords(key),
      store.appendEvent(session, said("1")),
      store.closeSession(key),
      store.applyStateDelta({ ...key, stateDelta: { a: 1 }, author: "user", invocationId: "i" }),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: "rejected", reason: refusal("INVALID_IDENTIFIER", { field }) });
    }
  });

  it("answers a missing session with nothing, or SESSION_NOT_FOUND", async () => {
    verifies("errors:session:not-found");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const session = { ...KEY, state: {}, events: [], lastUpdateTime: 0, revision: 0 };
    expect(await store.getSession(KEY)).toBeUndefined();
    await store.deleteSession(KEY);
    await expect(store.listEventRecords(KEY)).rejects.toMatchObject(refusal("SESSION_NOT_FOUND"));
    await expect(store.appendEvent(session, said("1"))).rejects.toMatchObject(refusal("SESSION_NOT_FOUND"));
    await expect(store.closeSession(KEY)).rejects.toMatchObject(refusal("SESSION_NOT_FOUND"));
    const delta = store.applyStateDelta({ ...KEY, stateDelta: { a: 1 }, author: "user", invocationId: "i" });
    await expect(delta).rejects.toMatchObject(refusal("SESSION_NOT_FOUND"));
    expect([session.events, await store.listSessions(OWNER)]).toEqual([[], { sessions: [] }]);
  });

  it("deletes a session with its events; one made anew under its id starts empty", async () => {
    verifies("states:delete-session", "operations:session:delete");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const session = await store.createSession({ ...KEY, state: { a: 1 } });
    await store.appendEvent(session, said("1"));
    await store.deleteSession(KEY);
    expect(await store.getSession(KEY)).toBeUndefined();
    await store.createSession(KEY);
    expect(await store.getSession(KEY)).toEqual({ ...KEY, state: {}, events: [], lastUpdateTime: NOW, revision: 0 });
    expect(await store.listEventRecords(KEY)).toEqual({ events: [] });
  });

  it("reads only the events that the config asks for", async () => {
    verifies(
      "event:order",
      "configuration:get-session:after-timestamp",
      "configuration:get-session:num-recent-events",
      "operations:session:get",
      "operations:session:get-config",
      "session:field:events",
    );
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const times = [100, 300, 200, 400];
    await store.createSession({
      ...KEY,
      events: times.map((timestamp, index) => said(String(index + 1), { timestamp })),
    });
    const read = async (config: Parameters<typeof store.getSession>[1]) => {
      const session = await store.getSession(KEY, config);
      return [session?.events.map((event) => event.id).join(), session?.revision];
    };
    expect(await read({})).toEqual(["1,2,3,4", 4]);
    expect(await read({ numRecentEvents: 0 })).toEqual(["", 4]);
    expect(await read({ numRecentEvents: 2 })).toEqual(["3,4", 4]);
    expect(await read({ numRecentEvents: 9 })).toEqual(["1,2,3,4", 4]);
    expect(await read({ afterTimestamp: 300 })).toEqual(["2,4", 4]);
    expect(await read({ afterRevision: 1 })).toEqual(["2,3,4", 4]);
    expect(await read({ afterRevision: 4 })).toEqual(["", 4]);
    expect(await read({ afterRevision: 1, numRecentEvents: 2, afterTimestamp: 300 })).toEqual(["4", 4]);
    const bad = refusal("INVALID_FIELD", { field: "numRecentEvents" });
    await expect(store.getSession(KEY, { numRecentEvents: -1 })).rejects.toMatchObject(bad);
  });

  it("lists events as stored, in pages", async () => {
    verifies("listings:events", "event:order", "operations:session:list-events");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const events = [changing("1", { a: 1, "temp:b": 2 }), said("2"), said("3")];
    await store.createSession({ ...KEY, events });
    const first = await store.listEventRecords({ ...KEY, pageSize: 2 });
    const second = await store.listEventRecords({ ...KEY, pageSize: 2, pageToken: first.nextPageToken! });
    const common = { invocationId: "invocation", author: "agent", timestamp: NOW, outside: true };
    expect([...first.events, ...second.events]).toEqual([
      { ...common, id: "1", sequence: 1, json: JSON.stringify(changing("1", { a: 1 })), stateDelta: { a: 1 } },
      { ...common, id: "2", sequence: 2, json: JSON.stringify(events[1]) },
      { ...common, id: "3", sequence: 3, json: JSON.stringify(events[2]) },
    ]);
    expect(await store.listEvents({ ...KEY, pageSize: 2 })).toEqual({
      ...first,
      events: [changing("1", { a: 1 }), said("2")],
    });
    expect(await store.listEvents({ ...KEY, afterRevision: 2 })).toEqual({ events: [events[2]] });
    expect([first.events.length, second.nextPageToken]).toEqual([2, undefined]);
    expect((await store.listEventRecords({ ...KEY, afterRevision: 2 })).events.map((event) => event.id)).toEqual(["3"]);
  });

  it("lists events in pages that end when their JSON is large enough, and only those since an instant", async () => {
    verifies("listings:events");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const events = Array.from({ length: 120 }, (_, index) =>
      said(`${index + 1}`, { timestamp: NOW + (index < 100 ? 0 : index % 2) }),
    );
    await store.createSession({ ...KEY, events });
    const pages = async (request: Omit<ListEventsRequest, keyof SessionKey>): Promise<readonly string[]> => {
      const read: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await store.listEventRecords({
          ...KEY,
          ...request,
          ...(pageToken !== undefined && { pageToken }),
        });
        read.push(page.events.map(({ id }) => id).join());
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      return read;
    };
    const ids = (list: readonly Event[]) => list.map(({ id }) => id);
    expect(await pages({ maxCharacters: 1, afterRevision: 117 })).toEqual(["118", "119", "120"]);
    expect(await pages({ maxCharacters: 1e9, pageSize: 2, afterRevision: 117 })).toEqual(["118,119", "120"]);
    const size = JSON.stringify(events[118]).length;
    expect(await pages({ maxCharacters: size + 1, afterRevision: 117 })).toEqual(["118,119", "120"]);
    // A store may return a shorter page than was asked for.
    const wanted = events.filter(({ timestamp }) => timestamp > NOW);
    const since = await pages({ afterTimestamp: NOW + 1, maxCharacters: 5 * size });
    expect(since.filter((page) => page !== "").join()).toBe(ids(wanted).join());
    expect((await pages({ maxCharacters: 40 * size })).join().split(",")).toEqual(ids(events));
    expect((await pages({ afterTimestamp: NOW + 1 })).join()).toBe(ids(wanted).join());
    for (const field of ["afterTimestamp", "maxCharacters"]) {
      const bad = refusal("INVALID_FIELD", { field });
      await expect(store.listEventRecords({ ...KEY, [field]: -1 })).rejects.toMatchObject(bad);
    }
  });

  it("lists a user's sessions with their state, newest update first, in pages, without those of evaluations", async () => {
    verifies("operations:session:list", "listings:sessions", "wire:session:list-order");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    for (const id of ["c", "a", `${EVALUATION_SESSION_PREFIX}1`, "b"])
      await store.createSession({ ...OWNER, id, state: { id } });
    await store.createSession({ ...OWNER, userId: "other", id: "d" });
    clock.advance(1);
    await store.createSession({ ...OWNER, id: "newest", events: [said("1", { timestamp: clock.now() })] });
    const first = await store.listSessions({ ...OWNER, pageSize: 2 });
    const second = await store.listSessions({ ...OWNER, pageSize: 2, pageToken: first.nextPageToken! });
    const listed = (id: string) => ({ ...OWNER, id, state: { id }, events: [], lastUpdateTime: NOW, revision: 0 });
    const revision = features.listedRevisions === false ? 0 : 1;
    const newest = { ...OWNER, id: "newest", state: {}, events: [], lastUpdateTime: NOW + 1, revision };
    expect(first.sessions).toEqual([newest, listed("a")]);
    expect(second).toEqual({ sessions: [listed("b"), listed("c")] });
    expect(await store.listSessions(OWNER)).toEqual({ sessions: [newest, listed("a"), listed("b"), listed("c")] });
  });

  it("refuses page tokens that it did not give out for that list, and empty pages", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession({ ...KEY, events: [said("1"), said("2")] });
    const { nextPageToken } = await store.listEventRecords({ ...KEY, pageSize: 1 });
    const invalid = refusal("INVALID_CURSOR", { field: "pageToken" });
    for (const pageToken of ["", "garbage", "bnVsbA", nextPageToken!]) {
      await expect(store.listSessions({ ...OWNER, pageToken })).rejects.toMatchObject(invalid);
    }
    await expect(store.listEventRecords({ ...KEY, pageToken: "garbage" })).rejects.toMatchObject(invalid);
    const bad = refusal("INVALID_FIELD", { field: "pageSize" });
    await expect(store.listEventRecords({ ...KEY, pageSize: 0 })).rejects.toMatchObject(bad);
    await expect(store.listSessions({ ...OWNER, pageSize: 1.5 })).rejects.toMatchObject(bad);
  });

  it("appends events to the store and to the session object, in order", async () => {
    verifies("states:append-event:adds-event", "operations:session:append-event");
    await using world = await startSessionWorld(contract);
    const session = await world.store.createSession(KEY);
    const events = [said("1"), said("2", { timestamp: NOW + 5 })];
    for (const event of events) expect(await world.store.appendEvent(session, event)).toBe(event);
    expect(session).toEqual({ ...KEY, state: {}, events, lastUpdateTime: NOW + 5, revision: 2 });
    expect(await world.store.getSession(KEY)).toEqual(session);
  });

  it("returns a partial event as it is and stores nothing", async () => {
    verifies("event:field:partial");
    await using world = await startSessionWorld(contract);
    const session = await world.store.createSession(KEY);
    const partial = { ...changing("1", { a: 1 }), partial: true };
    expect(await world.store.appendEvent(session, partial)).toBe(partial);
    expect(session).toEqual({ ...KEY, state: {}, events: [], lastUpdateTime: NOW, revision: 0 });
    expect(await world.store.getSession(KEY)).toEqual(session);
  });

  it("appends an event once, however often and from whatever copy it is sent", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const session = await store.createSession(KEY);
    const stale = (await store.getSession(KEY))!;
    await store.appendEvent(session, said("1"));
    await store.appendEvent(session, said("2"));
    await store.appendEvent(session, said("1"));
    await store.appendEvent((await store.getSession(KEY, { numRecentEvents: 0 }))!, said("1"));
    await store.appendEvent(stale, said("1"));
    expect((await store.listEventRecords(KEY)).events.map((event) => event.id)).toEqual(["1", "2"]);
    expect(stale).toEqual(session);
    await Promise.all([store.appendEvent(session, said("3")), store.appendEvent(session, said("4"))]);
    expect(session).toEqual(await store.getSession(KEY));
  });

  it("brings a stale session object up to date with what others appended", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const stale = await store.createSession(KEY);
    await store.appendEvent((await store.getSession(KEY))!, changing("other", { a: 1 }));
    await store.appendEvent(stale, said("mine"));
    expect(stale).toEqual(await store.getSession(KEY));
    expect(stale.events.map((event) => event.id)).toEqual(["other", "mine"]);
  });

  it("hands out copies: what a caller changes in them is not stored", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const list: number[] = [1];
    const created = await store.createSession({ ...KEY, state: { list, "app:list": list }, events: [said("1")] });
    const before = JSON.stringify(await store.getSession(KEY));
    list.push(2);
    for (const session of [created, (await store.getSession(KEY))!, (await store.listSessions(OWNER)).sessions[0]!]) {
      // Each list was stored as an array.
      (session.state["list"] as number[]).push(3);
      (session.state["app:list"] as number[]).push(3);
      session.events.push(said("2"));
    }
    expect(JSON.stringify(await store.getSession(KEY))).toBe(before);
  });

  it("closes a session for writers and not for readers", async () => {
    verifies(
      "states:close-session",
      "operations:session:close",
      "states:session-states",
      "states:no-session-states",
      "states:transitions",
    );
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    const session = await store.createSession({ ...KEY, events: [said("1")] });
    await store.closeSession(KEY);
    clock.advance(1000);
    await store.closeSession(KEY);
    expect(await store.getSession(KEY)).toEqual({ ...session, closedTime: NOW });
    await expect(store.appendEvent(session, said("2"))).rejects.toMatchObject(refusal("SESSION_CLOSED"));
    const delta = store.applyStateDelta({ ...KEY, stateDelta: { a: 1 }, author: "user", invocationId: "i" });
    await expect(delta).rejects.toMatchObject(refusal("SESSION_CLOSED"));
    expect((await store.listEventRecords(KEY)).events.map((event) => event.id)).toEqual(["1"]);
    await store.deleteSession(KEY);
    expect(await store.getSession(KEY)).toBeUndefined();
  });

  it("stores text of any kind as it came", async () => {
    await using world = await startSessionWorld(contract);
    const text = 'line\nquote " back\\slash \u2028 \u0000 🎲 é e\u0301';
    const state: JsonObject = { [text]: { deep: [text, 1.5, true, null, { empty: {} }] } };
    const created = await world.store.createSession({ ...KEY, state, events: [said(text)] });
    expect(await world.store.getSession(KEY)).toEqual({ ...created, state, events: [said(text)] });
  });
}
