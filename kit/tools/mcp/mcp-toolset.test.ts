import { describe, expect, it } from "vitest";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { recordEvents } from "#test/helpers/record-events.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { answer, responsesOf } from "#test/helpers/worlds/pay-world.ts";
import { McpToolset, type McpToolsetOptions } from "./mcp-toolset.ts";

const ADD = {
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
};
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const call = functionCallResponse("add", { a: 1 }, "call-1");

/** Reaches servers on loopback, which the run's own way does not. */
const plainFetch: typeof fetch = (input, init) => fetch(input, init);

type Server = Awaited<ReturnType<typeof startModernServer>>;

async function createWorld(
  { url }: Pick<Server, "url">,
  steps: readonly ScriptedStep[],
  options: Partial<McpToolsetOptions> = {},
) {
  const connectionParams = { kind: "streamable-http", url } as const;
  const toolset = new McpToolset({ connectionParams, fetch: plainFetch, ...options });
  const model = new ScriptedModel(steps);
  const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [toolset] }));
  return { world, model, toolset };
}

function asked(events: readonly Event[]) {
  const question = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_input");
  if (question === undefined) throw new Error("no question was asked");
  return question;
}

describe("McpToolset", () => {
  it("declares the server's tools, selected and renamed, and calls them", async () => {
    verifies("tools:mcp:connects", "tools:mcp:exposes", "what-the-service-does:kit-mcp-toolset");
    await using server = await startModernServer({ tools: [ADD, { ...ADD, name: "other" }], call: () => text("2") });
    const { world, model } = await createWorld(server, [functionCallResponse("math_add", { a: 1 }), "Two."], {
      toolFilter: ["add"],
      toolNamePrefix: "math",
    });
    expect((await world.run("1 + 1?")).map(brief)).toEqual([
      'clerk: math_add({"a":1})',
      'clerk: math_add -> {"content":[{"type":"text","text":"2"}]}',
      "clerk: Two.",
    ]);
    expect(model.requests[0]?.functionDeclarations).toEqual([
      { name: "math_add", description: "Adds.", parameters: ADD.inputSchema },
    ]);
    const sent = server.received.find(({ method }) => method === "tools/call");
    expect(sent).toMatchObject({
      params: {
        name: "add",
        arguments: { a: 1 },
        _meta: { traceparent: expect.stringMatching(/^00-\w{32}-\w{16}-01$/) },
      },
      headers: { "mcp-method": "tools/call", "mcp-name": "add", "mcp-protocol-version": "2026-07-28" },
    });
    await world.runner.close();
  });

  it("lists and probes once while the server's time for its list lasts", async () => {
    verifies("tools:mcp:list-cache");
    await using server = await startModernServer({ tools: [ADD], call: () => text("2"), list: { ttlMs: 60_000 } });
    const { world } = await createWorld(server, [call, "Two.", call, "Two."]);
    await world.run("first");
    await world.run("second");
    expect([server.count("server/discover"), server.count("tools/list"), server.count("tools/call")]).toEqual([
      1, 1, 2,
    ]);
  });

  it("lists again when the server lets its list be kept for no time", async () => {
    await using server = await startModernServer({ tools: [ADD], list: { ttlMs: 0 } });
    const { world } = await createWorld(server, ["One.", "Two."]);
    await world.run("first");
    await world.run("second");
    expect(server.count("tools/list")).toBe(2);
  });

  it("gives images to the model as media beside the response", async () => {
    verifies("tools:mcp:media");
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    await using server = await startModernServer({ tools: [ADD], call: () => ({ content: [image] }) });
    const { world } = await createWorld(server, [call, "Seen."]);
    const events = await world.run("look");
    expect(events[1]?.content?.parts).toEqual([
      {
        functionResponse: {
          ...{ id: "call-1", name: "add" },
          response: { content: [{ type: "image", mimeType: "image/png", displayName: "image-1" }] },
          parts: [{ inlineData: { mimeType: "image/png", data: "aGk=", displayName: "image-1" } }],
        },
      },
    ]);
  });

  it("describes a tool by its title or name, and checks the form of results that are no errors", async () => {
    const { description: _, ...plain } = ADD;
    const outputSchema = { type: "object", properties: { sum: { type: "number" } } };
    await using server = await startModernServer({
      tools: [
        { ...plain, title: "Add numbers", outputSchema },
        { ...plain, name: "plain" },
      ],
      call: () => ({ ...text("2"), structuredContent: { sum: "2" }, isError: server.count("tools/call") > 1 }),
    });
    const { world, model } = await createWorld(server, [call, call, "Two."]);
    const events = await world.run("1 + 1?");
    expect(model.requests[0]?.functionDeclarations.map(({ description }) => description)).toEqual([
      ...["Add numbers", "plain"],
    ]);
    const results = events.flatMap(responsesOf).filter((response) => response !== undefined);
    expect(results.map((result) => Object(result).schemaProblems)).toEqual([expect.stringContaining("sum"), undefined]);
    await world.runner.close();
  });

  it("sends each user's headers, and serves none by the connection of another", async () => {
    verifies("authentication:mcp:headers", "tools:mcp-streamable-http:headers", "tools:mcp:headers-apart");
    await using server = await startModernServer({ tools: [ADD], call: () => text("2") });
    const toolset = new McpToolset({
      fetch: plainFetch,
      connectionParams: {
        kind: "streamable-http",
        url: server.url,
        headers: { "x-app": "shop", authorization: "none" },
      },
      headerProvider: async ({ state }) => ({ authorization: `Bearer ${state.get("token")}` }),
    });
    const model = new ScriptedModel([call, "Two.", call, "Two."]);
    const agent = new LlmAgent({ name: "clerk", model, tools: [toolset] });
    const world = await createAgentWorld(agent, { state: { token: "a" } });
    await world.run("first");
    await world.run("second", {}, { token: "b" });
    expect(toolset.openConnections).toBe(2);
    const calls = server.received.filter(({ method }) => method === "tools/call");
    expect(calls.map(({ headers }) => [headers.authorization, headers["x-app"]])).toEqual([
      ["Bearer a", "shop"],
      ["Bearer b", "shop"],
    ]);
    await world.runner.close();
    expect(toolset.openConnections).toBe(0);
  });

  it("opens no more connections than its pool has, however many calls there are", async () => {
    verifies("tools:mcp:pool");
    await using server = await startModernServer({ tools: [ADD], call: () => text("2") });
    const many = Array.from({ length: 1000 }, (_, index) => ({
      functionCall: { id: `call-${index}`, name: "add", args: { a: index } },
    }));
    const { world, toolset } = await createWorld(server, [{ content: { role: "model", parts: many } }, "All."], {
      maxConnections: 3,
    });
    await world.run("many");
    expect(server.count("tools/call")).toBe(1000);
    expect(toolset.openConnections).toBeLessThanOrEqual(3);
    // A request may begin while the socket of the one before is still being released.
    expect(server.sockets.size).toBeLessThanOrEqual(6);
    await world.runner.close();
  });

  it("asks the user before a call that needs their consent", async () => {
    await using server = await startModernServer({ tools: [ADD], call: () => text("2") });
    const { world } = await createWorld(server, [call, "Two."], { requireConfirmation: ({ a }) => a === 1 });
    expect((await world.run("add")).at(-1)?.longRunningToolIds).toHaveLength(1);
    expect(server.count("tools/call")).toBe(0);
  });

  it.each([
    ["an unknown kind", { kind: "carrier-pigeon", url: "http://a" }, "kind"],
    ["no address", { kind: "sse", url: "file:///etc/passwd" }, "url"],
    ["no command", { kind: "stdio", command: " " }, "command"],
    ["a header with a line break", { kind: "sse", url: "http://a", headers: { "x-a": "b\nc" } }, "headers.x-a"],
    ["a time that is none", { kind: "sse", url: "http://a", timeoutMs: 0 }, "timeoutMs"],
  ])("refuses %s", (_, connectionParams, field) => {
    expect(() => new McpToolset({ connectionParams: connectionParams as never })).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
    );
  });
});

describe("a server that asks for data of the user", () => {
  const state = '{"odd":"\\u0000 ~ü"}\n';
  const requestedSchema = {
    type: "object",
    properties: { name: { type: "string" }, size: { type: "number", default: 4 } },
    required: ["name"],
  };
  const inputRequests = {
    who: { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } },
  };

  /** Asks once, and then completes the call with what it was given. */
  async function startAskingServer(requests: typeof inputRequests | Record<string, object> = inputRequests) {
    const effects: unknown[] = [];
    const server = await startModernServer({
      tools: [ADD],
      call: ({ params }) => {
        if (params["inputResponses"] === undefined)
          return { resultType: "input_required", inputRequests: requests as never, requestState: state };
        effects.push([params["arguments"], params["inputResponses"], params["requestState"]]);
        return text("done");
      },
    });
    return { server, effects };
  }

  it("pauses the run; the answer repeats the call with the server's own state, on a toolset that never saw it", async () => {
    verifies("tools:mcp:elicitation");
    const { server, effects } = await startAskingServer();
    await using _ = server;
    const { world } = await createWorld(server, [call, "Done."]);
    const events = await world.run("add");
    expect(asked(events).args).toMatchObject({ message: `${server.url} asks: Who?`, response_schema: requestedSchema });
    expect(JSON.stringify(asked(events).args)).not.toContain("odd");
    await world.runner.close();

    const other = await createWorld(server, ["Done."]);
    await recordEvents(other.world.store, await other.world.session(), (await world.session()).events);
    const resumed = await other.world.run(answer(asked(events), { name: "Ada" }, "adk_request_input"));
    expect(resumed.map(brief)).toEqual(['clerk: add -> {"content":[{"type":"text","text":"done"}]}', "clerk: Done."]);
    expect(effects).toEqual([[{ a: 1 }, { who: { action: "accept", content: { name: "Ada", size: 4 } } }, state]]);
  });

  it("asks again for an answer that does not fit the schema, and nothing is sent", async () => {
    const { server, effects } = await startAskingServer();
    await using _ = server;
    const { world } = await createWorld(server, [call, "Done."]);
    const first = await world.run("add");
    const second = await world.run(answer(asked(first), { name: 5 }, "adk_request_input"));
    expect(asked(second).args?.["message"]).toContain("The last answer was not accepted: name");
    await world.run(answer(asked(second), { name: "Ada" }, "adk_request_input"));
    expect(effects).toHaveLength(1);
  });

  it.each(["decline", "cancel"])("passes the user's %s on", async (action) => {
    const { server, effects } = await startAskingServer();
    await using _ = server;
    const { world } = await createWorld(server, [call, "Done."]);
    await world.run(answer(asked(await world.run("add")), { action }, "adk_request_input"));
    expect(effects).toEqual([[{ a: 1 }, { who: { action } }, state]]);
  });

  it("asks several requests as one form, and answers requests for roots itself", async () => {
    const { server, effects } = await startAskingServer({
      ...inputRequests,
      open: {
        method: "elicitation/create",
        params: { mode: "url", message: "Sign.", url: "https://sign.example", elicitationId: "e" },
      },
      roots: { method: "roots/list" },
    });
    await using _ = server;
    const { world } = await createWorld(server, [call, "Done."]);
    const question = asked(await world.run("add"));
    expect(question.args?.["message"]).toContain("Sign. Open https://sign.example");
    await world.run(answer(question, { who: { name: "Ada" }, open: { action: "accept" } }, "adk_request_input"));
    expect(effects).toMatchObject([
      [{ a: 1 }, { who: { action: "accept" }, open: { action: "accept" }, roots: { roots: [] } }, state],
    ]);
  });

  it("gets the program's answer if that has one", async () => {
    const { server, effects } = await startAskingServer();
    await using _ = server;
    const { world } = await createWorld(server, [call, "Done."], {
      elicitationCallback: async ({ responseSchema }) => (responseSchema === undefined ? undefined : { name: "Bot" }),
    });
    expect((await world.run("add")).map(brief).at(-1)).toBe("clerk: Done.");
    expect(effects).toEqual([[{ a: 1 }, { who: { action: "accept", content: { name: "Bot", size: 4 } } }, state]]);
  });

  it("may only use the agent's model if the toolset allows it", async () => {
    verifies("tools:mcp:sampling");
    const messages = [{ role: "user", content: { type: "text", text: "Shorten." } }];
    const sampling = { sum: { method: "sampling/createMessage", params: { messages, maxTokens: 10 } } };
    const { server, effects } = await startAskingServer(sampling);
    await using _ = server;
    const refused = await createWorld(server, [call, "Done."]);
    expect(responsesOf((await refused.world.run("add"))[1])).toEqual([
      { error: `MCP server ${server.url}: add asks for the agent's model, and the toolset does not allow it.` },
    ]);
    const { world, model } = await createWorld(server, [call, "Short.", "Done."], { allowSampling: true });
    await world.run("add", { maxLlmCalls: 3 });
    expect(effects).toMatchObject([
      [{ a: 1 }, { sum: { role: "assistant", content: { type: "text", text: "Short." } } }, state],
    ]);
    expect(model.requests).toHaveLength(3);
    const limited = await createWorld(server, [call, "Short.", "Done."], { allowSampling: true });
    const [, response] = await limited.world
      .run("add", { maxLlmCalls: 1 })
      .catch(async () => (await limited.world.session()).events.slice(1));
    expect(responsesOf(response)).toEqual([{ error: expect.stringContaining("The limit of 1 model calls") }]);
  });
});

describe("a server that fails", () => {
  it("fails the run with its name if no connection can be opened", async () => {
    verifies("errors:mcp:base", "errors:mcp:session-initialization");
    const { world } = await createWorld({ url: "http://127.0.0.1:1/mcp?token=secret" }, ["x"]);
    await expect(world.run("add")).rejects.toMatchObject({
      reason: "MCP_SESSION_INITIALIZATION",
      message: expect.stringMatching(/^MCP server http:\/\/127\.0\.0\.1:1\/mcp: no connection could be opened/),
    });
    expect(JSON.stringify((await world.session()).events)).not.toContain("secret");
  });

  it("is not called at an address of the server's own network, unless the run's way out allows it", async () => {
    verifies("platform:outbound-addresses");
    await using server = await startModernServer({ tools: [ADD], call: () => text("2") });
    const connectionParams = { kind: "streamable-http", url: server.url } as const;
    const agent = () =>
      new LlmAgent({
        name: "clerk",
        model: new ScriptedModel([call, "Two."]),
        tools: [new McpToolset({ connectionParams })],
      });

    const guarded = await createAgentWorld(agent());
    await expect(guarded.run("add")).rejects.toMatchObject({ reason: "MCP_SESSION_INITIALIZATION" });
    expect(server.received).toEqual([]);

    await using outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
    const allowed = await createAgentWorld(agent(), { outbound });
    expect((await allowed.run("add")).map(brief).at(-1)).toBe("clerk: Two.");
  });

  it("fails the run if its tools cannot be listed", async () => {
    verifies("errors:mcp:tool-loading", "errors:class-names:mcp");
    await using server = await startModernServer({ tools: [], list: { tools: "none" } });
    const { world } = await createWorld(server, ["x"]);
    await expect(world.run("add")).rejects.toMatchObject({ reason: "MCP_TOOL_LOADING", server: server.url });
  });

  it("leaves out a tool that cannot be declared, and logs why", async () => {
    verifies("errors:mcp:tool-declaration");
    const broken = { ...ADD, name: "" };
    await using server = await startModernServer({ tools: [broken, ADD], call: () => text("2") });
    const warnings: unknown[] = [];
    const toolset = new McpToolset({
      fetch: plainFetch,
      connectionParams: { kind: "streamable-http", url: server.url },
    });
    const model = new ScriptedModel(["Hi."]);
    const logger: Logger = {
      ...silentLogger,
      warn: ({ error }) => void warnings.push(error),
      child: () => logger,
    };
    const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [toolset] }), { logger });
    await world.run("hi");
    expect(model.requests[0]?.functionDeclarations.map(({ name }) => name)).toEqual(["add"]);
    expect(warnings).toMatchObject([{ reason: "MCP_TOOL_DECLARATION", server: server.url }]);
  });

  it("gives the model a result that does not fit its schema, and what does not fit", async () => {
    verifies("tools:mcp:result-schemas");
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    await using server = await startModernServer({
      tools: [{ ...ADD, outputSchema }],
      call: ({ params }) => (params["arguments"] ? { ...text("no"), structuredContent: { n: "x" } } : {}),
    });
    const { world } = await createWorld(server, [call, "Sorry."]);
    expect(responsesOf((await world.run("add"))[1])).toEqual([
      { ...text("no"), structuredContent: { n: "x" }, schemaProblems: expect.stringMatching(/^n: /) },
    ]);
  });
});
