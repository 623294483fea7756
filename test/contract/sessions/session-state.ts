import { expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { changing, KEY, NOW, OWNER, type SessionServiceContract, said, startSessionWorld } from "./session-world.ts";

/** Scopes of state in every `SessionService` of our own. */
export function sessionStateContract(contract: SessionServiceContract): void {
  keptStateContract(contract);
  sharedStateContract(contract);
}

/** The state of an app and of a user, which their sessions share. */
function sharedStateContract(contract: SessionServiceContract): void {
  it("routes state by prefix when a session is created and shows all scopes in one map", async () => {
    verifies(
      "session:field:state",
      "session:state-prefix:app",
      "session:state-prefix:user",
      "session:state-prefix:temp",
      "session:state-prefix:no-composition",
      "session:state:prefixes-in-reads",
    );
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const state = { mine: 1, "user:ours": 2, "app:all": 3, "app:temp:x": 4, "temp:gone": 5 };
    const created = await store.createSession({ ...KEY, state });
    expect(created.state).toEqual({ mine: 1, "user:ours": 2, "app:all": 3, "app:temp:x": 4 });
    const sameUser = await store.createSession({ ...OWNER, id: "2" });
    const otherUser = await store.createSession({ appName: "app", userId: "other", id: "3" });
    const otherApp = await store.createSession({ appName: "other", userId: "user", id: "4" });
    expect([sameUser.state, otherUser.state, otherApp.state]).toEqual([
      { "user:ours": 2, "app:all": 3, "app:temp:x": 4 },
      { "app:all": 3, "app:temp:x": 4 },
      {},
    ]);
  });

  it("applies an event's delta to its scopes, and leaves state alone without one", async () => {
    verifies(
      "states:append-event:applies-state-delta",
      "states:append-event:without-delta",
      "event-actions:state-delta",
    );
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const other = await store.createSession({ ...OWNER, id: "other" });
    const session = await store.createSession({ ...KEY, state: { kept: 1, changed: 1 } });
    await store.appendEvent(session, changing("1", { changed: 2, "user:a": 1, "app:b": [1] }));
    await store.appendEvent(session, said("2"));
    const state = { kept: 1, changed: 2, "user:a": 1, "app:b": [1] };
    expect([session.state, (await store.getSession(KEY))?.state]).toEqual([state, state]);
    expect((await store.getSession(other))?.state).toEqual({ "user:a": 1, "app:b": [1] });
    expect((await store.listSessions(OWNER)).sessions.map((listed) => listed.state)).toEqual([
      { "user:a": 1, "app:b": [1] },
      state,
    ]);
  });

  it("loses no key when many sessions of one user change shared state concurrently", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map((number) => store.createSession({ ...OWNER, id: `${number}` })));
    await Promise.all(
      numbers.map((number) =>
        store.applyStateDelta({
          ...OWNER,
          id: `${number}`,
          stateDelta: { [`user:${number}`]: number },
          author: "user",
          invocationId: "i",
        }),
      ),
    );
    const expected = Object.fromEntries(numbers.map((number) => [`user:${number}`, number]));
    expect((await store.getSession({ ...OWNER, id: "0" }))?.state).toEqual(expected);
  });
}

/** How state is kept, wherever it is shared. */
export function keptStateContract(contract: SessionServiceContract): void {
  it("keeps temp: keys in the session object and out of the store", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const session = await store.createSession(KEY);
    await store.appendEvent(session, changing("1", { "temp:a": 1, b: 2 }));
    expect(session.state).toEqual({ "temp:a": 1, b: 2 });
    const stored = await store.getSession(KEY);
    expect([stored?.state, stored?.events]).toEqual([{ b: 2 }, [changing("1", { b: 2 })]]);
  });

  it("removes keys in every scope by null and by the sentinel of other servers", async () => {
    verifies("session:state:removed-keys");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const state = { a: 1, "user:a": 1, "app:a": 1, b: 1, "user:b": 1, "app:b": 1, c: 1 };
    const session = await store.createSession({ ...KEY, state });
    await store.appendEvent(session, changing("1", { a: null, "user:a": null, "app:a": null, missing: null }));
    const removed = "__ADK_SENTINEL_REMOVED__";
    await store.appendEvent(session, changing("2", { b: removed, "user:b": removed, "app:b": removed }));
    expect([session.state, (await store.getSession(KEY))?.state]).toEqual([{ c: 1 }, { c: 1 }]);
    const { events } = await store.listEventRecords(KEY);
    expect(events[1]?.stateDelta).toEqual({ b: null, "user:b": null, "app:b": null });
    expect(JSON.stringify(events)).not.toContain(removed);
  });

  it("keeps state keys named like members of every object as plain data", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const json = '{"__proto__":{"polluted":1},"constructor":2,"app:__proto__":{"polluted":3},"user:__proto__":4}';
    // Only JSON text can have an own key __proto__.
    const state = JSON.parse(json) as JsonObject;
    await store.createSession({ ...KEY, state });
    await store.applyStateDelta({ ...KEY, stateDelta: state, author: "user", invocationId: "i" });
    const read = (await store.getSession(KEY))?.state ?? {};
    const byKey = (one: [string, unknown], other: [string, unknown]) => (one[0] < other[0] ? -1 : 1);
    expect(Object.entries(read).sort(byKey)).toEqual(Object.entries(state).sort(byKey));
    expect([Object.getPrototypeOf(read), "polluted" in {}]).toEqual([Object.prototype, false]);
    expect((await store.listEventRecords(KEY)).events).toEqual([]);
  });

  it("changes state from outside a run by one event that carries only the delta", async () => {
    verifies("operations:session:apply-state-delta");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    await store.createSession({ ...KEY, state: { same: { a: [1] }, "app:gone": 1 } });
    clock.advance(5);
    const stateDelta = { same: { a: [1] }, "app:gone": null, absent: null, "user:set": 1, "temp:x": 1 };
    const session = await store.applyStateDelta({ ...KEY, stateDelta, author: "user", invocationId: "p-1" });
    const state = { same: { a: [1] }, "user:set": 1 };
    expect(session).toEqual({ ...KEY, state, events: [], lastUpdateTime: NOW + 5, revision: 1 });
    const changed = { "app:gone": null, "user:set": 1 };
    const stored = await store.getSession(KEY);
    const actions = {
      stateDelta: changed,
      artifactDelta: {},
      requestedAuthConfigs: {},
      requestedToolConfirmations: {},
    };
    const event = { id: stored?.events[0]?.id, invocationId: "p-1", author: "user", timestamp: NOW + 5, actions };
    expect(stored).toEqual({ ...session, events: [event] });
    expect((await store.listEventRecords(KEY)).events[0]?.stateDelta).toEqual(changed);
  });

  it("stores nothing for a delta that changes nothing", async () => {
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    const created = await store.createSession({ ...KEY, state: { a: { x: 1, y: 2 }, "user:b": 0 } });
    clock.advance(5);
    const stateDelta = { a: { y: 2, x: 1 }, "user:b": 0, missing: null, gone: "__ADK_SENTINEL_REMOVED__", "temp:t": 1 };
    expect(await store.applyStateDelta({ ...KEY, stateDelta, author: "user", invocationId: "i" })).toEqual(created);
    expect(await store.getSession(KEY)).toEqual(created);
  });
}
