import { describe, expect, it } from "vitest";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { ENGINE, KEY, NAME, NOW, said, startManagedSessions } from "#test/fakes/agent-platform/managed-sessions.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { VertexAiSessionService } from "./vertex-ai-session-service.ts";

describe("the wire", () => {
  verifies("operations:session:managed");

  it("writes an event with the published members, and the whole of it as rawEvent", async () => {
    await using world = await startManagedSessions();
    const session = await world.service.createSession(KEY);
    const parts = [
      { text: "On it.", partMetadata: { shown: true } },
      { functionCall: { id: "c", name: "look", args: { deep: [1] } }, thoughtSignature: "c2ln" },
    ];
    const actions = createEventActions({ stateDelta: { a: 1, gone: null, "temp:b": 2 }, transferToAgent: "helper" });
    const event = said("e", {
      ...{ content: { role: "model", parts }, actions, branch: "a.b", longRunningToolIds: ["c"] },
      usageMetadata: { totalTokenCount: 7 },
      customMetadata: { kind: "note" },
    });
    await world.service.appendEvent(session, event);
    const timestamp = "2027-01-15T08:00:00.000000000Z";
    const maps = { artifactDelta: {}, requestedAuthConfigs: {} };
    expect(world.platform.requests.at(-1)?.body).toEqual({
      ...{ author: "agent", invocationId: "i", timestamp },
      content: { role: "model", parts: [{ text: "On it." }, parts[1]] },
      actions: { ...maps, stateDelta: { a: 1, gone: null }, transferAgent: "helper" },
      eventMetadata: { branch: "a.b", longRunningToolIds: ["c"], customMetadata: { kind: "note" } },
      rawEvent: {
        ...JSON.parse(JSON.stringify(event)),
        actions: { ...actions, stateDelta: { a: 1, gone: null } },
        timestamp: NOW / 1000,
      },
    });
    const read = await world.service.getSession(KEY);
    expect(read?.events).toEqual([{ ...event, actions: { ...actions, stateDelta: { a: 1, gone: null } } }]);
    expect(read?.state).toEqual({ a: 1 });
  });

  it("keeps the order of events of one millisecond and of earlier ones, which the service sorts by time", async () => {
    await using world = await startManagedSessions();
    const events = [said("1"), said("2"), said("3", { timestamp: NOW - 500 }), said("4")];
    await world.service.createSession({ ...KEY, events });
    const stored = world.platform.sessions.stored.get(NAME)?.events ?? [];
    expect(stored.map(({ timestamp }) => String(timestamp).slice(20))).toEqual([
      "000000000Z",
      "000001000Z",
      "000002000Z",
      "000003000Z",
    ]);
    expect((await world.service.getSession(KEY))?.events).toEqual(events);
  });

  const ACTIONS = { stateDelta: { a: 1 }, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
  const COMMON = { author: "agent", invocationId: "i", timestamp: "2027-01-15T08:00:00.250Z" };
  const READ = { id: "1", author: "agent", invocationId: "i", timestamp: NOW + 250 };

  it.each<[string, JsonObject, object]>([
    [
      "its raw event, before the other members",
      {
        content: { parts: [{ text: "old" }] },
        rawEvent: { id: "raw", author: "x", invocationId: "j", timestamp: 1.5 },
      },
      { id: "raw", author: "x", invocationId: "j", timestamp: 1500, actions: { ...ACTIONS, stateDelta: {} } },
    ],
    [
      "its members, if there is no raw event",
      {
        content: { role: "model", parts: [{ text: "hi" }] },
        actions: { stateDelta: { a: 1 }, transferAgent: "helper" },
        eventMetadata: { branch: "b", turnComplete: true, customMetadata: { x: 1 } },
        errorCode: "SAFETY",
      },
      {
        ...READ,
        content: { role: "model", parts: [{ text: "hi" }] },
        actions: { ...ACTIONS, transferToAgent: "helper" },
        ...{ branch: "b", turnComplete: true, customMetadata: { x: 1 }, errorCode: "SAFETY" },
      },
    ],
    [
      "compaction and usage in the form of older clients",
      {
        eventMetadata: {
          customMetadata: {
            _compaction: {
              startTimestamp: 1,
              endTimestamp: 2,
              compactedContent: { role: "model", parts: [{ text: "sum" }] },
            },
            _usage_metadata: { totalTokenCount: 9 },
          },
        },
      },
      {
        ...READ,
        actions: {
          ...{ ...ACTIONS, stateDelta: {} },
          compaction: {
            startTimestamp: 1000,
            endTimestamp: 2000,
            compactedContent: { role: "model", parts: [{ text: "sum" }] },
          },
        },
        usageMetadata: { totalTokenCount: 9 },
      },
    ],
    [
      "the agent to transfer to, by its other name",
      { actions: { transferToAgent: "helper" } },
      { ...READ, actions: { ...ACTIONS, stateDelta: {}, transferToAgent: "helper" } },
    ],
  ])("reads an event of another client: %s", async (_, stored, expected) => {
    await using world = await startManagedSessions();
    await world.service.createSession(KEY);
    world.platform.sessions.plant(NAME, { ...COMMON, ...stored });
    expect((await world.service.getSession(KEY))?.events).toEqual([expected]);
  });

  it("gives sessions their time to live, and finds none that has expired", async () => {
    await using world = await startManagedSessions({ service: { ttlSeconds: 60 } });
    await world.service.createSession({ ...KEY, displayName: "Talk", labels: { team: "a" } });
    await world.service.createSession({ ...KEY, id: "longer", expireTime: "2027-01-15T08:10:00Z" });
    await world.service.createSession({ ...KEY, id: "longest", ttlSeconds: 3600 });
    const [first, second] = world.platform.requests.filter(({ method }) => method === "POST");
    const labels = { fairlead_creation: expect.any(String) };
    expect(first?.body).toEqual({
      ...{ userId: "ada", displayName: "Talk", sessionState: {}, ttl: "60s" },
      labels: { team: "a", ...labels },
    });
    expect(second?.body).toEqual({ userId: "ada", sessionState: {}, labels, expireTime: "2027-01-15T08:10:00Z" });
    world.clock.advance(60_000);
    const { sessions } = await world.service.listSessions(KEY);
    expect([await world.service.getSession(KEY), sessions.map(({ id }) => id)]).toEqual([
      undefined,
      ["longer", "longest"],
    ]);
  });

  it("lists the sessions of a user whatever the name, and reads all pages", async () => {
    await using world = await startManagedSessions();
    for (const userId of ['a" OR user_id="b', "b", "back\\slash"]) {
      for (const number of [1, 2, 3])
        await world.service.createSession({
          appName: "4711",
          userId,
          id: `s${world.platform.sessions.stored.size}-${number}`,
        });
      const { sessions } = await world.service.listSessions({ appName: "4711", userId });
      expect(sessions.map((session) => session.userId)).toEqual([userId, userId, userId]);
    }
    const filters = world.platform.requests.map(({ query }) => query.get("filter")).filter((filter) => filter !== null);
    expect([...new Set(filters)]).toEqual([
      String.raw`user_id="a\" OR user_id=\"b"`,
      'user_id="b"',
      String.raw`user_id="back\\slash"`,
    ]);
  });

  it("polls an operation with growing waits, and not for ever", async () => {
    await using world = await startManagedSessions({ platform: { polls: 5 } });
    await world.service.createSession(KEY);
    expect(world.waits).toEqual([100, 200, 400, 800, 1600]);
    await using slow = await startManagedSessions({ platform: { polls: 1000 }, service: { operationTimeoutMs: 2000 } });
    const refused = { reason: "STORE_UNAVAILABLE", message: expect.stringContaining("2000 ms") };
    await expect(slow.service.createSession(KEY)).rejects.toMatchObject(refused);
    expect(slow.waits.length).toBeLessThan(10);
  });

  it("authenticates with a key, or with a token and the project that pays", async () => {
    await using express = await startManagedSessions({
      platform: { credentials: { "x-goog-api-key": "secret" } },
      service: { apiKey: "secret", agentEngineId: "4711" },
    });
    await express.service.createSession({ ...KEY, appName: "weather" });
    expect(express.platform.requests[0]?.path).toBe("reasoningEngines/4711/sessions");
    await using tokens = await startManagedSessions({
      platform: { credentials: { authorization: "Bearer t", "x-goog-user-project": "payer" } },
      service: {
        auth: { getRequestHeaders: async () => new Headers({ authorization: "Bearer t" }) },
        quotaProject: "payer",
      },
    });
    await tokens.service.createSession(KEY);
    await using none = await startManagedSessions({ platform: { credentials: { authorization: "Bearer t" } } });
    await expect(none.service.createSession(KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(none.platform.lines).toEqual(["POST sessions"]);
  });
});

describe("whose session it is", () => {
  it("shows another user's session to nobody, and changes nothing of it", async () => {
    verifies("operations:session:managed");
    await using world = await startManagedSessions();
    const { service } = world;
    await service.createSession({ ...KEY, state: { secret: 1 } });
    const other = { ...KEY, userId: "eve" };
    const absent = { reason: "SESSION_NOT_FOUND" };
    expect([await service.getSession(other), (await service.listSessions(other)).sessions]).toEqual([undefined, []]);
    await expect(service.listEvents(other)).rejects.toMatchObject(absent);
    const object = { ...other, state: {}, events: [], lastUpdateTime: 0, revision: 0 };
    await expect(service.appendEvent(object, said("1"))).rejects.toMatchObject(absent);
    await expect(service.closeSession(other)).rejects.toMatchObject(absent);
    const delta = { ...other, stateDelta: { secret: 2 }, author: "user", invocationId: "i" };
    await expect(service.applyStateDelta(delta)).rejects.toMatchObject(absent);
    await service.deleteSession(other);
    expect((await service.getSession(KEY))?.state).toEqual({ secret: 1 });
  });

  it.each([
    ["appName", { ...KEY, appName: "weather" }, "INVALID_FIELD"],
    ["appName", { ...KEY, appName: "projects/p/locations/l/reasoningEngines/1/sessions/x" }, "INVALID_FIELD"],
    ["sessionId", { ...KEY, id: "../../4712/sessions/talk" }, "INVALID_IDENTIFIER"],
    ["sessionId", { ...KEY, id: "a:b" }, "INVALID_IDENTIFIER"],
    ["tenantId", { ...KEY, tenantId: "acme" }, "INVALID_IDENTIFIER"],
  ])("refuses a wrong %s without a call", async (field, key, reason) => {
    await using world = await startManagedSessions();
    await expect(world.service.getSession(key)).rejects.toMatchObject({ reason, details: { field } });
    await expect(world.service.createSession(key)).rejects.toMatchObject({ reason, details: { field } });
    expect(world.platform.lines).toEqual([]);
  });

  it("takes the app's full resource name, or one engine for each app", async () => {
    await using world = await startManagedSessions();
    await world.service.createSession({ ...KEY, appName: "projects/p/locations/l/reasoningEngines/7" });
    await using mapped = await startManagedSessions({ service: { agentEngineId: { weather: "1", news: ENGINE } } });
    await mapped.service.createSession({ ...KEY, appName: "weather" });
    await mapped.service.createSession({ ...KEY, appName: "news" });
    await expect(mapped.service.getSession({ ...KEY, appName: "toString" })).rejects.toMatchObject({
      reason: "INVALID_FIELD",
    });
    const created = [...world.platform.requests, ...mapped.platform.requests].filter(({ method }) => method === "POST");
    expect(created.map(({ path }) => path)).toEqual([
      "projects/p/locations/l/reasoningEngines/7/sessions",
      "projects/acme/locations/us-central1/reasoningEngines/1/sessions",
      `${ENGINE}/sessions`,
    ]);
  });

  it.each([
    [{}, "project"],
    [{ project: "acme" }, "location"],
    [{ project: "a/b", location: "us-central1" }, "project"],
    [{ project: "acme", location: "evil.example/" }, "location"],
    [{ project: "acme", location: "us-central1", agentEngineId: "x" }, "agentEngineId"],
    [{ project: "acme", location: "us-central1", ttlSeconds: 0 }, "ttlSeconds"],
    [{ apiKey: "" }, "apiKey"],
  ])("refuses the options %j", (options, field) => {
    expect(() => new VertexAiSessionService(options)).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
    );
  });
});
