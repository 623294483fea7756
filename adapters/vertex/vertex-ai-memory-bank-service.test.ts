import { describe, expect, it } from "vitest";
import { createEvent, type Event } from "#kit/events/event.ts";
import { canonicalJson } from "#kit/platform/json.ts";
import type { Session } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { FakeAgentPlatform } from "#test/fakes/agent-platform/fake-agent-platform.ts";
import { VertexAiMemoryBankService, type VertexAiMemoryBankServiceOptions } from "./vertex-ai-memory-bank-service.ts";

const NOW = 1_800_000_000_000;
const TIME = "2027-01-15T08:00:00.000Z";
const SCOPE = { appName: "4711", userId: "ada" };
const WIRE_SCOPE = { app_name: "4711", user_id: "ada" };

async function startWorld(given: Partial<VertexAiMemoryBankServiceOptions> = {}, polls = 1) {
  const clock = new FixedClock(NOW);
  const platform = await FakeAgentPlatform.start({ clock, pageLimit: 2, polls });
  const place = { project: "acme", location: "us-central1", apiEndpoint: platform.url };
  const service = new VertexAiMemoryBankService({
    ...{ ...place, clock, ids: new SequentialIds(), sleep: async () => {}, waitForCompletion: true },
    ...given,
  });
  return {
    ...{ clock, platform, service },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}

function says(id: string, text: string, overrides: Partial<Event> = {}): Event {
  const content = { role: "user", parts: [{ text }] };
  return createEvent({ id, invocationId: "i", author: "user", timestamp: NOW, content, ...overrides });
}

function sessionOf(id: string, ...events: Event[]): Session {
  return { ...SCOPE, id, state: {}, events, lastUpdateTime: NOW, revision: events.length };
}

const remembered = (id: string, text: string, customMetadata?: object) => ({
  ...{ id, content: { role: "user", parts: [{ text }] }, author: "user", timestamp: TIME },
  customMetadata,
});

describe("VertexAiMemoryBankService", () => {
  it("generates memories from the usable parts of a session's complete events, and finds the closest first", async () => {
    await using world = await startWorld();
    const call = { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] };
    const answer = { role: "model", parts: [{ text: "Hm", thought: true }, { text: "Noted." }] };
    const events = [
      says("1", "I like green tea"),
      says("2", "", { content: call }),
      says("3", "", { content: answer }),
      says("4", "I", { partial: true }),
      says("5", "My dog likes trains"),
    ];
    await world.service.addSessionToMemory(sessionOf("s", ...events));
    expect(world.platform.requests[0]?.body).toEqual({
      scope: WIRE_SCOPE,
      metadata: { session_id: { stringValue: "s" } },
      directContentsSource: {
        events: [
          { content: events[0]?.content },
          { content: { role: "model", parts: [{ text: "Noted." }] } },
          { content: events[4]?.content },
        ],
      },
    });
    const source = { session_id: "s" };
    const { memories } = await world.service.searchMemory(SCOPE, "trains of a dog");
    expect(memories).toEqual([
      remembered("2", "My dog likes trains", source),
      remembered("1", "I like green tea", source),
    ]);
    expect(await world.service.searchMemory({ ...SCOPE, userId: "eve" }, "dog")).toEqual({ memories: [] });
    expect(await world.service.searchMemory(SCOPE, "  ")).toEqual({ memories: [] });
    await world.service.addSessionToMemory(sessionOf("empty", says("6", " ")));
    expect(world.platform.lines.filter((line) => line.endsWith(":generate")).length).toBe(1);
  });

  it("reports what was generated and merged", async () => {
    await using world = await startWorld();
    await world.service.generateMemories(SCOPE, "s", [says("1", "I like tea")]);
    const changes = await world.service.generateMemories(SCOPE, "t", [says("2", "I like tea"), says("3", "I am Ada")]);
    expect(
      changes.map(({ action, entry }) => [action, entry?.content.parts?.[0]?.text, entry?.customMetadata]),
    ).toEqual([
      ["UPDATED", "I like tea", { session_id: "t" }],
      ["CREATED", "I am Ada", { session_id: "t" }],
    ]);
  });

  it("gives events to the service to collect, each once", async () => {
    await using world = await startWorld({ sessions: "ingest" });
    const session = sessionOf("s", says("1", "I like tea"));
    await world.service.addSessionToMemory(session);
    const source = { content: session.events[0]?.content, eventId: "1", eventTime: TIME };
    expect(world.platform.requests.at(-1)?.body).toEqual({
      ...{ streamId: "s", scope: WIRE_SCOPE, directContentsSource: { events: [source] } },
    });
    world.platform.faults.push({ on: /:ingestEvents$/, kind: "lost" });
    await world.service.ingestEvents(SCOPE, "s", [says("1", "I like tea"), says("2", "I am Ada")], {
      forceFlush: true,
    });
    expect([...world.platform.memories.streams.values()].map((ids) => [...ids])).toEqual([["1", "2"]]);
    expect((await world.service.listMemories(SCOPE)).map(({ content }) => content.parts?.[0]?.text)).toEqual([
      "I am Ada",
    ]);
  });

  it("adds entries as facts with typed metadata, their author and time, and a time to live", async () => {
    await using world = await startWorld({ ttlSeconds: 60 });
    const customMetadata = { level: 2, sure: true, since: "2025-05-01T10:00:00Z", tags: ["a"] };
    const entry = {
      content: { parts: [{ text: " likes tea " }] },
      author: "curator",
      timestamp: "2025-05-01T10:00:00+02:00",
      id: "fact",
    };
    await world.service.addMemoryEntries(SCOPE, [{ ...entry, customMetadata }]);
    const metadata = {
      ...{ level: { doubleValue: 2 }, sure: { boolValue: true }, tags: { stringValue: '["a"]' } },
      ...{ since: { timestampValue: "2025-05-01T10:00:00Z" }, entry_id: { stringValue: "fact" } },
    };
    expect(world.platform.requests[0]?.body).toEqual({
      ...{ fact: "likes tea", scope: WIRE_SCOPE, metadata, ttl: "60s" },
      revisionLabels: { author: "curator", timestamp: "2025-05-01T08:00:00.000Z" },
    });
    expect((await world.service.listMemories(SCOPE)).map((memory) => memory.customMetadata)).toEqual([
      { ...customMetadata, tags: '["a"]', entry_id: "fact" },
    ]);
    world.clock.advance(60_000);
    expect(await world.service.listMemories(SCOPE)).toEqual([]);
  });

  it.each([
    [{ content: { parts: [{ text: " " }] } }, "entries[1].content"],
    [{ content: { parts: [{ text: "x" }] }, timestamp: "teatime" }, "entry.timestamp"],
  ])("adds nothing if an entry is wrong: %j", async (wrong, field) => {
    await using world = await startWorld();
    const added = world.service.addMemoryEntries(SCOPE, [{ content: { parts: [{ text: "tea" }] } }, wrong]);
    await expect(added).rejects.toMatchObject({ reason: "INVALID_FIELD", details: { field } });
    expect(world.platform.lines).toEqual([]);
  });

  it("adds an entry once whose creation goes on although its answer was lost", async () => {
    await using world = await startWorld({}, 3);
    world.platform.faults.push({ on: /^POST memories$/, kind: "lost" });
    await world.service.addMemoryEntries(SCOPE, [{ content: { parts: [{ text: "tea" }] } }]);
    expect((await world.service.listMemories(SCOPE)).length).toBe(1);
  });

  it("merges entries by the service if it is asked to, five in a call", async () => {
    await using world = await startWorld({ enableConsolidation: true });
    const entries = ["a", "b", "c", "d", "e", "f", "a"].map((text) => ({ content: { parts: [{ text }] } }));
    await world.service.addMemoryEntries(SCOPE, entries);
    expect(world.platform.lines.filter((line) => line === "POST memories:generate").length).toBe(2);
    expect((await world.service.listMemories(SCOPE)).length).toBe(6);
  });

  it("forgets what came from one session, and then all of a user", async () => {
    await using world = await startWorld();
    for (const id of ["s", "t", "u"]) await world.service.addSessionToMemory(sessionOf(id, says(id, `said in ${id}`)));
    await world.service.addMemoryEntries({ ...SCOPE, userId: 'a"b\\' }, [{ content: { parts: [{ text: "other" }] } }]);
    await world.service.deleteSessionMemory(SCOPE, "s");
    const left = async () =>
      (await world.service.listMemories(SCOPE)).map(({ customMetadata }) => customMetadata?.["session_id"]);
    expect(await left()).toEqual(["t", "u"]);
    expect([await world.service.purgeMemories(SCOPE, { dryRun: true }), await left()]).toEqual([2, ["t", "u"]]);
    expect([await world.service.purgeMemories(SCOPE), await left()]).toEqual([2, []]);
    expect(await world.service.purgeMemories({ ...SCOPE, userId: 'a"b\\' })).toBe(1);
  });

  it("returns the profiles of the scope", async () => {
    await using world = await startWorld();
    const profiles = { traveller: { schemaId: "traveller", profile: { seat: "aisle" } } };
    world.platform.memories.profiles.set(canonicalJson(WIRE_SCOPE), profiles);
    expect(await world.service.retrieveProfiles(SCOPE)).toEqual(profiles);
    expect(await world.service.retrieveProfiles({ ...SCOPE, userId: "eve" })).toEqual({});
  });

  it.each([
    ["appName", { ...SCOPE, appName: "weather" }],
    ["userId", { ...SCOPE, userId: "*" }],
    ["tenantId", { ...SCOPE, tenantId: "acme" }],
  ])("refuses a wrong %s without a call", async (field, scope) => {
    await using world = await startWorld();
    await expect(world.service.searchMemory(scope, "tea")).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      details: { field },
    });
    await expect(world.service.purgeMemories(scope)).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      details: { field },
    });
    expect(world.platform.lines).toEqual([]);
  });

  it.each([
    { kind: "answer", status: 429, times: 2 },
    { kind: "answer", status: 503 },
    { kind: "lost" },
    { kind: "cut" },
  ] as const)("loses no memory and adds none twice: %j", async (fault) => {
    for (const line of [/:generate$/, /^POST memories$/, /operations/, /:retrieve$/, /:purge$/, /^DELETE/]) {
      await using world = await startWorld();
      world.platform.faults.push({ on: line, ...fault });
      await world.service.addSessionToMemory(sessionOf("s", says("1", "I like tea")));
      await world.service.addMemoryEntries(SCOPE, [{ content: { parts: [{ text: "I like trains" }] }, id: "fact" }]);
      const texts = async () =>
        (await world.service.listMemories(SCOPE)).map(({ content }) => content.parts?.[0]?.text);
      expect((await texts()).sort()).toEqual(["I like tea", "I like trains"]);
      await world.service.deleteSessionMemory(SCOPE, "s");
      expect(await texts()).toEqual(["I like trains"]);
      await world.service.purgeMemories(SCOPE);
      expect(await texts()).toEqual([]);
    }
  });
});
