import { expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  changing,
  KEY,
  LEASE_MS,
  OWNER,
  record,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "./session-world.ts";

const TOO_LARGE = { reason: "STATE_TOO_LARGE", code: "INVALID_ARGUMENT" };

function keys(count: number, prefix = "k"): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1]));
}

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}

/** The limits of a session in every store. */
export function sessionLimitsContract(contract: SessionStoreContract): void {
  it.each([
    ["1,001 keys", keys(1001)],
    ["1,001 keys of the user", keys(1001, "user:")],
    ["over 256 KiB", { text: "x".repeat(256 * 1024) }],
    ["over 256 KiB of UTF-8", { text: "é".repeat(128 * 1024) }],
  ])("refuses a new session whose state has %s, and makes none", async (_name, state) => {
    verifies("limits:state");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await expect(store.createSession({ ...KEY, state })).rejects.toMatchObject(TOO_LARGE);
    expect(await store.getSession(KEY)).toBeUndefined();
    expect((await store.createSession({ ...KEY, state: keys(1000) })).state).toEqual(keys(1000));
  });

  it("counts what a new session's events set as its state", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const events = [changing("1", keys(600, "a")), changing("2", keys(600, "b"))];
    await expect(store.createSession({ ...KEY, events })).rejects.toMatchObject(TOO_LARGE);
    expect(await store.getSession(KEY)).toBeUndefined();
  });

  it("refuses changes that together make a scope too large, and keeps what there was", async () => {
    verifies("limits:state");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession({ ...KEY, state: keys(900) });
    const from = { ...KEY, author: "user", invocationId: "p" };
    await expect(store.applyStateDelta({ ...from, stateDelta: keys(200, "more") })).rejects.toMatchObject(TOO_LARGE);
    expect(await store.getSession(KEY)).toMatchObject({ state: keys(900), events: [] });
    const exchanged = { ...keys(100, "more"), k0: null, k1: 2 };
    expect(Object.keys((await store.applyStateDelta({ ...from, stateDelta: exchanged })).state).length).toBe(999);
  });

  it("bounds the state that a user's sessions share", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession({ ...KEY, state: keys(900, "user:") });
    const other = { ...OWNER, id: "other" };
    await expect(store.createSession({ ...other, state: keys(200, "user:more") })).rejects.toMatchObject(TOO_LARGE);
    expect(await store.getSession(other)).toBeUndefined();
  });

  it("lets a value be written over as often as one likes", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession(KEY);
    for (const letter of ["a", "b", "c", "d"]) {
      const stateDelta = { text: letter.repeat(200 * 1024) };
      const { state } = await store.applyStateDelta({ ...KEY, stateDelta, author: "user", invocationId: "p" });
      expect(state).toEqual(stateDelta);
    }
  });

  it("refuses state that is nested deeper than 200 levels", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const refusal = { reason: "JSON_TOO_COMPLEX", code: "INVALID_ARGUMENT" };
    await expect(store.createSession({ ...KEY, state: { deep: nested(200) } })).rejects.toMatchObject(refusal);
    await expect(store.createSession({ ...KEY, state: { deep: nested(5000) } })).rejects.toMatchObject(refusal);
    await store.createSession({ ...KEY, state: { deep: nested(199) } });
  });

  it("refuses more than 1,000 events for a new session, and makes none", async () => {
    verifies("limits:imported-events");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const events = Array.from({ length: 1001 }, (_, index) => said(String(index)));
    await expect(store.createSession({ ...KEY, events })).rejects.toMatchObject({ reason: "TOO_MANY_EVENTS" });
    expect(await store.getSession(KEY)).toBeUndefined();
    expect((await store.createSession({ ...KEY, events: events.slice(1) })).events.length).toBe(1000);
  });

  it("refuses a run whose message brings too much state, and leaves the session free", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession({ ...KEY, state: keys(900) });
    const opening = record("opening", keys(200, "more"));
    const refused = store.begin(beginRequest("run", { opening: { ...opening, invocationId: "invocation of run" } }));
    await expect(refused).rejects.toMatchObject(TOO_LARGE);
    expect([await store.get("run"), (await store.getSession(KEY))?.events]).toEqual([undefined, []]);
    await started(store, "next");
  });

  it("refuses a run's event that brings too much state, and takes the run's end after it", async () => {
    verifies("limits:state");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession(KEY);
    const { lease } = await started(store, "run");
    const events = [record("1", keys(1001))];
    await expect(store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events })).rejects.toMatchObject(TOO_LARGE);
    await expect(store.finish({ lease, afterRevision: 0, events, status: "failed" })).rejects.toMatchObject(TOO_LARGE);
    const { run } = await store.finish({ lease, afterRevision: 0, events: [record("2")], status: "failed" });
    expect([run.status, (await store.getSession(KEY))?.state]).toEqual(["failed", {}]);
  });
}
