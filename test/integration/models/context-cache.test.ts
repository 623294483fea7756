import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { Plugin } from "#kit/core/plugin.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import type { ContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type LogFields, silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { answerJson, answerSse, fixture, startWireServer, type WireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentWorld, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const TTL_MS = 1_800_000;

interface Refusals {
  /** Answers the creation of a cache with this status. */
  create?: number;
  /** Answers requests that name a cache with this status. */
  use?: number;
  /** The token count of each prompt. */
  promptTokenCount?: number;
}

interface CacheWorld extends AsyncDisposable {
  readonly world: AgentWorld;
  readonly server: WireServer;
  readonly clock: FixedClock;
  readonly warnings: LogFields[];
  /** A short form of the provider's requests since the last call. */
  calls(): readonly string[];
  /** The same in alphabetical order after a cache was removed, because nothing waits for the removal. */
  callsWithRemoval(): Promise<readonly string[]>;
  bodies(): readonly JsonObject[];
}

/** An agent on a Gemini model whose provider keeps caches, unless it refuses. */
async function createCacheWorld(
  refusals: Refusals = {},
  options: {
    readonly contextCache?: Partial<ContextCacheConfig>;
    readonly plugins?: readonly Plugin[];
    readonly instruction?: string | (() => string);
  } = {},
): Promise<CacheWorld> {
  const clock = new FixedClock();
  const calls: string[] = [];
  let made = 0;
  const server = await startWireServer((response) => {
    const { method = "", url = "" } = response.req;
    const path = url.replace(/^\/v1beta\/|\?.*$/g, "");
    calls.push(`${method} ${path}`);
    if (path === "cachedContents") {
      if (refusals.create !== undefined) return fail(response, refusals.create);
      made += 1;
      const expireTime = new Date(clock.now() + TTL_MS).toISOString();
      return answerJson(JSON.stringify({ name: `cachedContents/c${made}`, expireTime }))(response);
    }
    if (method === "DELETE") return answerJson("{}")(response);
    const body = server.requests.at(-1)?.body;
    const cached = typeof body === "object" && body !== null && "cachedContent" in body;
    if (cached && refusals.use !== undefined) return fail(response, refusals.use);
    return answerJson(
      JSON.stringify({
        candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
        usageMetadata: {
          promptTokenCount: refusals.promptTokenCount ?? 5000,
          ...(cached && { cachedContentTokenCount: 4000 }),
        },
      }),
    )(response);
  });
  const warnings: LogFields[] = [];
  const model = new Gemini({ model: "gemini-3-flash-preview", apiKey: "k", baseUrl: server.url, clock });
  const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
  const { instruction = "Be brief.", contextCache = {}, plugins = [] } = options;
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, instruction, tools: [look] }), {
    contextCache,
    plugins,
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
  });
  const takeCalls = (): readonly string[] =>
    calls.splice(0).map((call) => call.replace("models/gemini-3-flash-preview:", ""));
  return {
    world,
    server,
    clock,
    warnings,
    calls: takeCalls,
    callsWithRemoval: async () => {
      await expect.poll(() => calls.some((call) => call.startsWith("DELETE"))).toBe(true);
      return takeCalls().toSorted();
    },
    // Each request of the SDK has a JSON object, or nothing.
    bodies: () => server.requests.map(({ body }) => body as JsonObject),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function fail(response: ServerResponse, status: number): void {
  answerJson(JSON.stringify({ error: { code: status, message: "no", status: "X" } }), status)(response);
}

function textsOf(body: JsonObject | undefined): readonly unknown[] {
  // Contents of a request are lists of text parts here; a request without a body has none.
  const contents = (body?.["contents"] ?? []) as { parts: { text: string }[] }[];
  return contents.map(({ parts }) => parts[0]?.text);
}

describe("the context cache of Gemini", () => {
  it("is made when a start of the prompt comes a second time, and serves the turns after it (the setting is stored and never used)", async () => {
    verifies("limits:context-cache", "configuration:context-cache:record");
    await using it = await createCacheWorld();
    const [first] = await it.world.run("one");
    expect(it.calls()).toEqual(["POST generateContent"]);
    expect(first?.cacheMetadata).toEqual({ fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/), contentsCount: 0 });

    const [second] = await it.world.run("two");
    expect(it.calls()).toEqual(["POST cachedContents", "POST generateContent"]);
    const [, create, use] = it.bodies();
    expect(create).toMatchObject({ model: "models/gemini-3-flash-preview", ttl: "1800s" });
    expect(Object.keys(create ?? {}).sort()).toEqual([
      "contents",
      "displayName",
      "model",
      "systemInstruction",
      "tools",
      "ttl",
    ]);
    expect(textsOf(create)).toEqual(["one", "ok"]);
    expect([use?.["cachedContent"], textsOf(use)]).toEqual(["cachedContents/c1", ["two"]]);
    expect([use?.["systemInstruction"], use?.["tools"]]).toEqual([undefined, undefined]);
    expect(second?.cacheMetadata).toEqual({
      cacheName: "cachedContents/c1",
      fingerprint: expect.any(String),
      contentsCount: 2,
      createdAt: it.clock.now(),
      expireTime: it.clock.now() + TTL_MS,
      invocationsUsed: 1,
    });
    expect(second?.usageMetadata).toEqual({ promptTokenCount: 5000, cachedContentTokenCount: 4000 });

    const [third] = await it.world.run("three");
    expect(it.calls()).toEqual(["POST generateContent"]);
    expect(textsOf(it.bodies()[3])).toEqual(["two", "ok", "three"]);
    expect(third?.cacheMetadata).toEqual({ ...second?.cacheMetadata, invocationsUsed: 2 });
    const { events } = await it.world.session();
    expect(events.at(-1)?.cacheMetadata).toEqual(third?.cacheMetadata);
  });

  it("is removed and made anew, with more in it, when it has served its invocations", async () => {
    verifies("limits:context-cache");
    await using it = await createCacheWorld({}, { contextCache: { maxInvocations: 2 } });
    for (const word of ["one", "two", "three"]) await it.world.run(word);
    it.calls();
    const [fourth] = await it.world.run("four");
    expect(await it.callsWithRemoval()).toEqual([
      "DELETE cachedContents/c1",
      "POST cachedContents",
      "POST generateContent",
    ]);
    expect(fourth?.cacheMetadata).toMatchObject({
      cacheName: "cachedContents/c2",
      contentsCount: 6,
      invocationsUsed: 1,
    });
  });

  it("is made anew when it has expired", async () => {
    await using it = await createCacheWorld();
    for (const word of ["one", "two"]) await it.world.run(word);
    it.calls();
    it.clock.advance(TTL_MS);
    const [third] = await it.world.run("three");
    expect(it.calls()).toEqual(["POST cachedContents", "POST generateContent"]);
    expect(third?.cacheMetadata?.cacheName).toBe("cachedContents/c2");
  });

  it("is removed when the start has changed, and the request goes out whole", async () => {
    let instruction = "Be brief.";
    await using it = await createCacheWorld({}, { instruction: () => instruction });
    for (const word of ["one", "two"]) await it.world.run(word);
    it.calls();
    instruction = "Be long.";
    const [third] = await it.world.run("three");
    expect(await it.callsWithRemoval()).toEqual(["DELETE cachedContents/c1", "POST generateContent"]);
    expect(third?.cacheMetadata).toEqual({ fingerprint: expect.any(String), contentsCount: 4 });
    expect(textsOf(it.bodies().find((body) => textsOf(body).includes("three")))).toHaveLength(5);
  });

  it("is never made for an instruction that changes with each turn (unstable fingerprint, dynamic tool instructions)", async () => {
    let turn = 0;
    await using it = await createCacheWorld({}, { instruction: () => `It is minute ${(turn += 1)}.` });
    for (const word of ["one", "two", "three"]) await it.world.run(word);
    expect(it.calls()).toEqual(Array(3).fill("POST generateContent"));
    expect(it.warnings).toEqual([]);
  });

  it("is never made for a start that a filter moves on with each turn (thrash with filters)", async () => {
    const filter: Plugin = {
      name: "filter",
      beforeModelCallback: (_context, request) => void request.contents.splice(0, request.contents.length - 3),
    };
    await using it = await createCacheWorld({}, { plugins: [filter] });
    for (let turn = 0; turn < 6; turn += 1) await it.world.run(`turn ${turn}`);
    const calls = it.calls();
    expect(calls.filter((call) => call === "POST generateContent")).toHaveLength(6);
    expect(calls.filter((call) => call === "POST cachedContents").length).toBeLessThanOrEqual(1);
  });

  it("waits for prompts of the configured size, and of what the API takes at least", async () => {
    verifies("limits:context-cache");
    for (const [promptTokenCount, minTokens] of [
      [1000, 0],
      [5000, 6000],
    ] as const) {
      await using it = await createCacheWorld({ promptTokenCount }, { contextCache: { minTokens } });
      for (const word of ["one", "two", "three"]) await it.world.run(word);
      expect(it.calls()).toEqual(Array(3).fill("POST generateContent"));
    }
  });

  it("falls back to the whole request with a warning when it cannot be made, and is not tried again immediately", async () => {
    await using it = await createCacheWorld({ create: 400 });
    await it.world.run("one");
    const [second] = await it.world.run("two");
    expect(second?.content).toEqual(modelContent("ok"));
    expect(it.calls()).toEqual(["POST generateContent", "POST cachedContents", "POST generateContent"]);
    expect(textsOf(it.bodies()[2])).toEqual(["one", "ok", "two"]);
    expect(it.warnings).toEqual([{ error: expect.any(Error), agentName: "helper", sessionId: "talk" }]);
    await it.world.run("three");
    expect(it.calls()).toEqual(["POST generateContent"]);
  });

  it("falls back to the whole request with a warning when the provider has lost it", async () => {
    await using it = await createCacheWorld({ use: 404 });
    await it.world.run("one");
    const [second] = await it.world.run("two");
    expect(second?.content).toEqual(modelContent("ok"));
    expect(second?.cacheMetadata?.cacheName).toBeUndefined();
    expect(it.calls()).toEqual([
      "POST generateContent",
      "POST cachedContents",
      "POST generateContent",
      "POST generateContent",
    ]);
    expect(it.warnings).toHaveLength(1);
  });

  it("is not part of a request when the app has not switched it on", async () => {
    await using server = await startWireServer(answerJson(fixture("gemini/text.json")));
    const model = new Gemini({ model: "gemini-3-flash-preview", apiKey: "k", baseUrl: server.url });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const [answer] = await world.run("one");
    expect(answer?.cacheMetadata).toBeUndefined();
  });
});

describe("the context cache of Claude", () => {
  async function sent(contextCache: Partial<ContextCacheConfig>, message = "hi"): Promise<JsonObject | undefined> {
    await using server = await startWireServer(answerSse(fixture("claude/text.sse.txt")));
    const model = new Claude({ model: "claude-haiku-4-5", apiKey: "k", baseUrl: server.url });
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const agent = new LlmAgent({ name: "helper", model, instruction: "Be brief.", tools: [look] });
    const world = await createAgentWorld(agent, { contextCache });
    await world.run(message);
    // The SDK sends an object.
    return server.requests[0]?.body as JsonObject | undefined;
  }

  it("has breakpoints behind the tools, the instruction and the newest message", async () => {
    const body = await sent({});
    const mark = { cache_control: { type: "ephemeral" } };
    expect(body).toMatchObject({
      tools: [{ name: "look", ...mark }],
      system: [{ type: "text", text: expect.stringContaining("Be brief."), ...mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "hi", ...mark }] }],
    });
  });

  it("lives for an hour when that long is asked for", async () => {
    const body = await sent({ ttlSeconds: 3600 });
    expect(body).toMatchObject({ system: [{ cache_control: { type: "ephemeral", ttl: "1h" } }] });
  });

  it("waits for prompts of the configured size", async () => {
    expect(JSON.stringify(await sent({ minTokens: 10 }))).not.toContain("cache_control");
  });

  it("falls back to the plain request with a warning when the provider refuses breakpoints", async () => {
    const refusal = { type: "error", error: { type: "invalid_request_error", message: "cache_control: not allowed" } };
    await using server = await startWireServer(
      answerJson(JSON.stringify(refusal), 400),
      answerSse(fixture("claude/text.sse.txt")),
    );
    const warnings: LogFields[] = [];
    const model = new Claude({ model: "claude-haiku-4-5", apiKey: "k", baseUrl: server.url });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      contextCache: {},
      logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    });
    const [answer] = await world.run("hi");
    expect(answer?.errorCode).toBeUndefined();
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain("cache_control");
    expect(warnings).toHaveLength(1);
  });
});
