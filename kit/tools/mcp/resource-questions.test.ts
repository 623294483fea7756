import { describe, expect, it, onTestFinished } from "vitest";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { type ReceivedRequest, startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { recordEvents } from "#test/helpers/record-events.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { answer } from "#test/helpers/worlds/pay-world.ts";
import type { McpConnectionParams } from "./connection-params.ts";
import { McpToolset, type McpToolsetOptions } from "./mcp-toolset.ts";

const plainFetch: typeof fetch = (input, init) => fetch(input, init);
const STATE = "opaque ~ü";
const requestedSchema = { type: "object", properties: { pin: { type: "string" } }, required: ["pin"] };
const inputRequests = {
  pin: { method: "elicitation/create", params: { mode: "form", message: "PIN?", requestedSchema } },
};
const load = (...names: readonly string[]) =>
  functionCallResponse("load_mcp_resource", { resource_names: names }, "c1");

/** `open` is read as it is; `safe` and `vault` need a PIN. */
async function startServer() {
  const reads: unknown[] = [];
  const answerTo = ({ method, params }: ReceivedRequest): JsonObject | undefined => {
    if (method === "resources/list")
      return { resources: ["open", "safe", "vault"].map((name) => ({ name, uri: `test://${name}` })) };
    if (method === "prompts/get") return { resultType: "input_required", inputRequests, requestState: STATE };
    if (method !== "resources/read") return undefined;
    const { uri, inputResponses, requestState } = params;
    if (uri !== "test://open" && inputResponses === undefined)
      return { resultType: "input_required", inputRequests, requestState: STATE };
    reads.push([uri, inputResponses, requestState]);
    return { contents: [{ uri: String(uri), text: `text of ${uri}` }] };
  };
  return { server: await startModernServer({ tools: [], answer: answerTo }), reads };
}

async function createWorld(
  connectionParams: McpConnectionParams,
  steps: readonly ScriptedStep[],
  options: Partial<McpToolsetOptions> = {},
) {
  const toolset = new McpToolset({ connectionParams, fetch: plainFetch, useMcpResources: true, ...options });
  const agent = new LlmAgent({ name: "clerk", model: new ScriptedModel(steps), tools: [toolset] });
  const world = await createAgentWorld(agent);
  onTestFinished(() => world.runner.close());
  return { world, toolset };
}

const over = ({ url }: { readonly url: string }): McpConnectionParams => ({ kind: "streamable-http", url });

function asked(events: readonly Event[]) {
  const question = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_input");
  return question ?? expect.unreachable("no question was asked");
}

const response = (events: readonly Event[]) => events.flatMap(functionResponses).at(-1)?.response;
const contents = (name: string) => [{ uri: `test://${name}`, text: `text of test://${name}` }];
const ASKS = expect.stringContaining("needs data of the user. Only a call of a tool can wait for it");

describe("a resource that needs data of the user", () => {
  it("pauses load_mcp_resource; the answer reads it with the server's own state, on another runner", async () => {
    verifies("tools:mcp:elicitation-resources");
    const { server, reads } = await startServer();
    await using _ = server;
    const first = await createWorld(over(server), [load("open", "safe"), "Done."]);
    const question = asked(await first.world.run("read"));
    expect(question.args).toMatchObject({ message: `${server.url} asks: PIN?`, response_schema: requestedSchema });
    reads.length = 0;

    const { world } = await createWorld(over(server), ["Done."]);
    await recordEvents(world.store, await world.session(), (await first.world.session()).events);
    const resumed = await world.run(answer(question, { pin: "1234" }, "adk_request_input"));
    expect(response(resumed)).toEqual({
      resources: [
        { name: "open", contents: contents("open") },
        { name: "safe", contents: contents("safe") },
      ],
    });
    expect(reads).toEqual([
      ["test://open", undefined, undefined],
      ["test://safe", { pin: { action: "accept", content: { pin: "1234" } } }, STATE],
    ]);
  });

  it("is asked for again after an answer that does not fit, and passes a refusal on", async () => {
    const { server, reads } = await startServer();
    await using _ = server;
    const { world } = await createWorld(over(server), [load("safe"), "Done."]);
    const first = asked(await world.run("read"));
    const second = asked(await world.run(answer(first, { pin: 5 }, "adk_request_input")));
    expect(second.args?.["message"]).toContain("The last answer was not accepted: pin");
    await world.run(answer(second, { action: "decline" }, "adk_request_input"));
    expect(reads).toEqual([["test://safe", { pin: { action: "decline" } }, STATE]]);
  });

  it("is the only one of its call that can ask, so that a call ends", async () => {
    const { server } = await startServer();
    await using _ = server;
    const { world } = await createWorld(over(server), [load("safe", "vault"), "Done."]);
    const question = asked(await world.run("read"));
    const resumed = await world.run(answer(question, { pin: "1" }, "adk_request_input"));
    expect(response(resumed)).toEqual({
      resources: [
        { name: "safe", contents: contents("safe") },
        { name: "vault", error: ASKS },
      ],
    });
  });

  it("gets the program's answer if that has one", async () => {
    const { server } = await startServer();
    await using _ = server;
    const options = { elicitationCallback: () => ({ pin: "9" }) };
    const { world } = await createWorld(over(server), [load("safe", "vault"), "Done."], options);
    expect(response(await world.run("read"))).toEqual({
      resources: ["safe", "vault"].map((name) => ({ name, contents: contents(name) })),
    });
  });

  it("is an error where no call can wait: for the program's own reads and for prompts", async () => {
    verifies("tools:mcp:elicitation-without-call");
    const { server } = await startServer();
    await using _ = server;
    const { toolset } = await createWorld(over(server), []);
    const context = new ReadonlyContext(createInvocation());
    await expect(toolset.readResource("test://safe", context)).rejects.toThrow(
      `MCP server ${server.url}: the resource test://safe needs data of the user.`,
    );
    await expect(toolset.getPrompt("hello", {}, context)).rejects.toThrow("the prompt hello needs data of the user");
    expect((await toolset.readResource("test://open", context)).response).toEqual({ contents: contents("open") });
    await toolset.close();
  });
});

/** A server of 2025-11-25 that asks while it reads a resource or a prompt, and says what it was answered. */
const EARLIER_SERVER = `
const lines = require("node:readline").createInterface({ input: process.stdin });
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const open = new Map();
lines.on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return open.get(id)?.(result);
  if (id === undefined) return;
  if (method === "initialize")
    return send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: "e", version: "1" } } });
  if (method === "tools/list") return send({ id, result: { tools: [] } });
  if (method === "resources/list") return send({ id, result: { resources: [{ name: "safe", uri: "test://safe" }] } });
  if (method !== "resources/read" && method !== "prompts/get")
    return send({ id, error: { code: -32601, message: "none" } });
  const ask = "ask-" + id;
  open.set(ask, (answer) => {
    const text = JSON.stringify(answer);
    send({ id, result: method === "prompts/get" ? { messages: [] } : { contents: [{ uri: params.uri, text }] } });
  });
  send({ id: ask, method: "elicitation/create", params: { message: "PIN?", requestedSchema: { type: "object", properties: { pin: { type: "string" } } } } });
});`;

describe("a resource of a server of an earlier protocol that asks the user", () => {
  const connectionParams = { kind: "stdio", command: process.execPath, args: ["-e", EARLIER_SERVER] } as const;

  it("pauses load_mcp_resource, and the answer reads it from its start", async () => {
    verifies("tools:mcp:elicitation-resources");
    const { world } = await createWorld(connectionParams, [load("safe"), "Done."]);
    const question = asked(await world.run("read"));
    const resumed = await world.run(answer(question, { pin: "1234" }, "adk_request_input"));
    const text = JSON.stringify({ action: "accept", content: { pin: "1234" } });
    expect(response(resumed)).toEqual({
      resources: [{ name: "safe", contents: [{ uri: "test://safe", text }] }],
    });
  });

  it("is an error where no call can wait, and the connection can be used again", async () => {
    verifies("tools:mcp:elicitation-without-call");
    const { toolset } = await createWorld(connectionParams, []);
    const context = new ReadonlyContext(createInvocation());
    for (let times = 0; times < 2; times += 1) {
      await expect(toolset.readResource("test://safe", context)).rejects.toThrow("the resource test://safe needs data");
      await expect(toolset.getPrompt("hello", {}, context)).rejects.toThrow("the prompt hello needs data of the user");
    }
    expect((await toolset.listResources(context)).map(({ name }) => name)).toEqual(["safe"]);
    await toolset.close();
  });
});
