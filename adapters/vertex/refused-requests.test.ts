import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { FakeAgentPlatform } from "#test/fakes/agent-platform/fake-agent-platform.ts";

const ENGINE = "v1beta1/projects/acme/locations/us-central1/reasoningEngines/4711";
const EVENT = { author: "user", invocationId: "i", timestamp: "2027-01-15T08:00:00Z" };
const SCOPE = { app_name: "4711", user_id: "ada" };

async function startPlatform() {
  const platform = await FakeAgentPlatform.start({ clock: new FixedClock(), polls: 0 });
  const send = async (line: string, body?: JsonObject) => {
    const [method = "", path = ""] = line.split(" ");
    const url = `${platform.url}/${ENGINE}/${path}`;
    const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    // The service answers with JSON objects.
    return { status: response.status, json: (await response.json()) as Record<string, JsonObject & string> };
  };
  for (const id of ["a", "b", "c"]) await send(`POST sessions?sessionId=${id}`, { userId: "ada" });
  return { send, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() };
}

describe("the service of the tests refuses what the managed services refuse", () => {
  it.each<[string, string, JsonObject | undefined]>([
    ["an unknown member", "POST sessions?sessionId=x", { userId: "ada", appName: "app" }],
    ["a missing member", "POST sessions?sessionId=x", { sessionState: {} }],
    [
      "two members of one choice",
      "POST sessions?sessionId=x",
      { userId: "ada", ttl: "60s", expireTime: EVENT.timestamp },
    ],
    ["a duration without its unit", "POST sessions?sessionId=x", { userId: "ada", ttl: "60" }],
    ["an unknown parameter", "POST sessions?session_name=x", { userId: "ada" }],
    ["an event without a time", "POST sessions/a:appendEvent", { author: "user", invocationId: "i" }],
    ["a time of another form", "POST sessions/a:appendEvent", { ...EVENT, timestamp: 1800000000 }],
    [
      "an unknown member of a part",
      "POST sessions/a:appendEvent",
      { ...EVENT, content: { parts: [{ text: "x", partMetadata: {} }] } },
    ],
    ["an unknown action", "POST sessions/a:appendEvent", { ...EVENT, actions: { endOfAgent: true } }],
    [
      "a wrong value of a list of names",
      "POST sessions/a:appendEvent",
      { ...EVENT, content: { parts: [{ executableCode: { language: "RUBY", code: "" } }] } },
    ],
    ["a filter without quotes", "GET sessions?filter=user_id=ada", undefined],
    ["another filter of events", "GET sessions/a/events?filter=author=%22user%22", undefined],
    ["a page token of no list", "GET sessions?pageToken=garbage", undefined],
    ["a size of no page", "GET sessions?pageSize=0", undefined],
    ["an immutable member", "PATCH sessions/a?updateMask=userId", { name: "x", userId: "eve" }],
    ["a scope with a wildcard", "POST memories:retrieve", { scope: { user_id: "*" } }],
    [
      "both ways of retrieval",
      "POST memories:retrieve",
      { scope: SCOPE, simpleRetrievalParams: {}, similaritySearchParams: { searchQuery: "x" } },
    ],
    [
      "six facts in one call",
      "POST memories:generate",
      { scope: SCOPE, directMemoriesSource: { directMemories: Array(6).fill({ fact: "x" }) } },
    ],
    ["metadata without types", "POST memories", { scope: SCOPE, fact: "x", metadata: { a: "b" } }],
    ["a stream without a name", "POST memories:ingestEvents", { scope: SCOPE, directContentsSource: { events: [] } }],
    ["a purge without a filter", "POST memories:purge", { force: true }],
  ])("%s", async (_, line, body) => {
    await using platform = await startPlatform();
    const { status, json } = await platform.send(line, body);
    expect([status, json["error"]?.["code"]]).toEqual([400, 400]);
  });

  it("a page token of another list", async () => {
    await using platform = await startPlatform();
    const { json } = await platform.send("GET sessions?pageSize=2");
    const token = `pageToken=${encodeURIComponent(String(json["nextPageToken"]))}`;
    expect((await platform.send(`GET sessions?pageSize=2&${token}`)).json["sessions"]).toHaveLength(1);
    const filter = `filter=${encodeURIComponent('user_id="ada"')}`;
    expect((await platform.send(`GET sessions?pageSize=2&${filter}&${token}`)).status).toBe(400);
    expect((await platform.send(`GET sessions/a/events?${token}`)).status).toBe(400);
  });

  it.each(["GET sessions/missing", "GET sessions/a/operations/99", "POST sessions/a:fork", "DELETE memories/1"])(
    "%s, which does not exist",
    async (line) => {
      await using platform = await startPlatform();
      expect((await platform.send(line)).status).toBe(404);
    },
  );
});
