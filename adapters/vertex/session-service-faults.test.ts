import { describe, expect, it } from "vitest";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { KEY, NAME, said, startManagedSessions } from "#test/fakes/agent-platform/managed-sessions.ts";
import { verifies } from "#test/helpers/verifies.ts";

describe("faults", () => {
  const FAULTS = {
    throttled: { kind: "answer", status: 429, times: 2 },
    unavailable: { kind: "answer", status: 503 },
    "failed after its effect": { kind: "lost" },
    "half-written": { kind: "cut" },
    slow: { kind: "slow", delayMs: 300 },
  } as const;
  const LINES = {
    create: /^POST sessions$/,
    "get operation": /operations/,
    get: /^GET sessions\/[^/]+$/,
    "list events": /events$/,
    append: /:appendEvent$/,
    delete: /^DELETE/,
  };
  const cases = Object.keys(FAULTS).flatMap((fault) => Object.keys(LINES).map((line) => [fault, line] as const));

  it.each(cases)("%s: %s. Nothing is lost and nothing is there twice", async (fault, line) => {
    verifies("operations:session:managed");
    await using world = await startManagedSessions({ service: { timeoutMs: fault === "slow" ? 150 : 5000 } });
    // The keys of both tables.
    world.platform.faults.push({ on: LINES[line as keyof typeof LINES], ...FAULTS[fault as keyof typeof FAULTS] });
    const events = [said("1"), said("2", { actions: createEventActions({ stateDelta: { a: 2 } }) }), said("3")];
    const session = await world.service.createSession({ ...KEY, state: { a: 1 } });
    for (const event of events) await world.service.appendEvent(session, event);
    expect(session.events).toEqual(events);
    expect(await world.service.getSession(KEY)).toEqual(session);
    expect(world.platform.sessions.stored.get(NAME)?.events.length).toBe(3);
    await world.service.deleteSession(KEY);
    expect([await world.service.getSession(KEY), world.platform.sessions.stored.size]).toEqual([undefined, 0]);
  });

  it("counts an event once that another client has appended twice", async () => {
    await using world = await startManagedSessions();
    const session = await world.service.createSession(KEY);
    await world.service.appendEvent(session, said("1"));
    const [stored = {}] = world.platform.sessions.stored.get(NAME)?.events ?? [];
    world.platform.sessions.plant(NAME, stored);
    await world.service.appendEvent(session, said("2"));
    expect((await world.service.getSession(KEY))?.events).toEqual([said("1"), said("2")]);
    const { events } = await world.service.listEventRecords(KEY);
    expect(events.map(({ id, sequence }) => [id, sequence])).toEqual([
      ["1", 1],
      ["2", 2],
    ]);
  });

  it("waits as long as the service asks, and gives up after the attempts of its options", async () => {
    await using world = await startManagedSessions({ service: { maxAttempts: 3 } });
    world.platform.faults.push({ on: /^GET/, kind: "answer", status: 429, headers: { "retry-after": "7" }, times: 9 });
    await expect(world.service.getSession(KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect([world.platform.lines.length, world.waits]).toEqual([3, [7000, 7000]]);
  });

  it("does not wait for a service that asks for more than half a minute", async () => {
    await using world = await startManagedSessions();
    world.platform.faults.push({ on: /^GET/, kind: "answer", status: 429, headers: { "retry-after": "31" }, times: 9 });
    await expect(world.service.getSession(KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect([world.platform.lines.length, world.waits]).toEqual([1, []]);
  });

  it("gives up a service that does not answer, after the time limit", { timeout: 10_000 }, async () => {
    await using world = await startManagedSessions({ service: { timeoutMs: 100, maxAttempts: 2 } });
    world.platform.faults.push({ on: /^GET/, kind: "slow", delayMs: 20_000, times: 9 });
    await expect(world.service.getSession(KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(world.platform.lines.length).toBe(2);
  });

  it.each([
    [400, "INVALID_FIELD", 1],
    [401, "STORE_UNAVAILABLE", 1],
    [403, "STORE_UNAVAILABLE", 1],
    [500, "STORE_UNAVAILABLE", 4],
    [504, "STORE_UNAVAILABLE", 4],
  ])("reports the status %i as %s", async (status, reason, calls) => {
    await using world = await startManagedSessions();
    world.platform.faults.push({ on: /^GET/, kind: "answer", status, times: 99 });
    await expect(world.service.getSession(KEY)).rejects.toMatchObject({ reason });
    expect(world.platform.lines.length).toBe(calls);
  });

  it.each(["lost", "cut"] as const)(
    "waits for a session whose creation goes on although its answer was %s",
    async (kind) => {
      await using world = await startManagedSessions({ platform: { polls: 7 } });
      world.platform.faults.push({ on: /^POST sessions$/, kind });
      expect(await world.service.createSession(KEY)).toMatchObject({ id: "talk", revision: 0 });
      expect(world.platform.lines.filter((line) => line === "POST sessions").length).toBe(2);
    },
  );

  it("does not create a session again whose creation failed with an unknown outcome and left nothing", async () => {
    await using world = await startManagedSessions();
    await world.service.createSession(KEY);
    world.platform.faults.push({ on: /^POST sessions$/, kind: "answer", status: 503 });
    await expect(world.service.createSession(KEY)).rejects.toMatchObject({ reason: "SESSION_ALREADY_EXISTS" });
  });

  it("deletes a session whose history cannot be stored", async () => {
    await using world = await startManagedSessions();
    world.platform.faults.push({ on: /:appendEvent$/, kind: "answer", status: 400 });
    const created = world.service.createSession({ ...KEY, events: [said("1")] });
    await expect(created).rejects.toMatchObject({ reason: "INVALID_FIELD" });
    expect(await world.service.getSession(KEY)).toBeUndefined();
  });

  it("bounds an answer, and all pages of a list", async () => {
    const long = said("1", { content: { role: "user", parts: [{ text: "x".repeat(20_000) }] } });
    await using world = await startManagedSessions({ service: { maxAnswerBytes: 30_000 } });
    const tooLarge = { reason: "OUTBOUND_RESPONSE_TOO_LARGE" };
    await world.service.createSession(KEY);
    for (const id of ["a", "b"])
      world.platform.sessions.plant(NAME, {
        author: "a",
        invocationId: "i",
        timestamp: "2027-01-15T08:00:00Z",
        rawEvent: { ...long, id } as unknown as JsonObject,
      });
    await expect(world.service.getSession(KEY)).rejects.toMatchObject(tooLarge);
    await using other = await startManagedSessions({ platform: { pageLimit: 1 }, service: { maxListBytes: 50_000 } });
    await other.service.createSession({ ...KEY, events: [long] });
    await expect(
      other.service.appendEvent(
        { ...KEY, state: {}, events: [], lastUpdateTime: 0, revision: 1 },
        { ...long, id: "2" },
      ),
    ).resolves.toBeDefined();
    await expect(other.service.getSession(KEY)).rejects.toMatchObject(tooLarge);
  });
});
