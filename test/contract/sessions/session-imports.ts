import { expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { sessionImportsOf } from "#ports/sessions/session-imports.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  changing,
  KEY,
  NOW,
  OWNER,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "./session-world.ts";

/** Sessions that come from another store. */
export function sessionImportsContract(contract: SessionStoreContract): void {
  it("takes a session as it is elsewhere: its events are kept, and their deltas are not applied", async () => {
    verifies("import:sessions");
    await using world = await startSessionWorld(contract);
    const content = { role: "model", parts: [{ functionCall: { id: "c", name: "wipe", args: {} } }] };
    const call = createEvent({ id: "call", invocationId: "i", author: "agent", timestamp: NOW - 5, content });
    const events = [said("one"), call, changing("two", { city: "Oslo", "app:n": 1, "user:x": "old" })];
    const state = { city: "Rome", "app:n": 7, "user:x": "new" };
    const imports = sessionImportsOf(world.store);
    const given = { key: KEY, state, events, lastUpdateTime: NOW - 100, closedTime: NOW - 50 };
    expect(await imports.importSession(given)).toBe(true);
    const session = await world.store.getSession(KEY);
    expect(session).toMatchObject({ ...KEY, state, revision: 3, lastUpdateTime: NOW - 100, closedTime: NOW - 50 });
    const { events: records } = await world.store.listEventRecords(KEY);
    expect(records.map(({ id, sequence, outside }) => [id, sequence, outside])).toEqual([
      ["one", 1, true],
      ["call", 2, true],
      ["two", 3, true],
    ]);
    expect(session?.events[2]?.actions.stateDelta).toEqual({ city: "Oslo", "app:n": 1, "user:x": "old" });
  });

  it("leaves a session that exists, and the values that app and user have already", async () => {
    verifies("import:resumes", "import:shared-state");
    await using world = await startSessionWorld(contract);
    await world.store.createSession({ ...OWNER, id: "here", state: { "app:n": 1, "user:x": "mine" } });
    const imports = sessionImportsOf(world.store);
    const state = { own: 1, "app:n": 2, "app:m": 3, "user:x": "theirs", "user:y": "new" };
    const given = { key: KEY, state, events: [said("one")], lastUpdateTime: NOW };
    expect(await imports.importSession(given)).toBe(true);
    const expected = { own: 1, "app:n": 1, "app:m": 3, "user:x": "mine", "user:y": "new" };
    expect((await world.store.getSession(KEY))?.state).toEqual(expected);
    expect(await imports.importSession({ ...given, events: [said("other")], state: { own: 2 } })).toBe(false);
    expect(await world.store.getSession(KEY)).toMatchObject({ state: expected, events: [{ id: "one" }], revision: 1 });
  });

  it("runs go on in an imported session", async () => {
    await using world = await startSessionWorld(contract);
    const events = [said("one"), said("two")];
    await sessionImportsOf(world.store).importSession({ key: KEY, state: {}, events, lastUpdateTime: NOW });
    const { snapshot } = await started(world.store, "run");
    expect(snapshot.revision).toBe(2);
  });

  it("refuses too many events and a state that is too large, and then nothing is there", async () => {
    verifies("import:bounds");
    await using world = await startSessionWorld(contract);
    const imports = sessionImportsOf(world.store);
    const many = Array.from({ length: 1001 }, (_, index) => said(`e${index}`));
    const given = { key: KEY, state: {}, events: [], lastUpdateTime: NOW };
    await expect(imports.importSession({ ...given, events: many })).rejects.toMatchObject({
      reason: "TOO_MANY_EVENTS",
    });
    const large = { text: "x".repeat(300_000) };
    await expect(imports.importSession({ ...given, state: large })).rejects.toMatchObject({
      reason: "STATE_TOO_LARGE",
    });
    expect(await world.store.getSession(KEY)).toBeUndefined();
  });
}
