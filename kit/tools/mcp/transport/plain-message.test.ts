import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { emptyFolder } from "#test/helpers/worlds/command-world.ts";
import { responsesOf } from "#test/helpers/worlds/pay-world.ts";
import type { McpConnectionParams } from "../connection-params.ts";
import { McpToolset } from "../mcp-toolset.ts";

/** Optional members of the protocol. */
const OPTIONAL = [
  ...["_meta", "error", "params", "nextCursor", "title", "description", "icons", "annotations", "outputSchema"],
  ...["execution", "isError", "structuredContent", "instructions", "websiteUrl", "experimental", "logging", "prompts"],
  ...["completions", "resources", "tasks", "listChanged", "readOnlyHint", "destructiveHint", "audience", "priority"],
  ...["lastModified", "size", "mimeType", "ttlMs", "total", "message", "requestState", "inputRequests", "resultType"],
];
const STRUCTURED = { a: null, list: [null, 1], _meta: null };
const MODERN = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** What the server says to each method; undefined for methods of the other protocol. */
function resultOf(method: string, isModern: boolean): JsonObject | undefined {
  switch (method) {
    case "server/discover":
      return isModern ? { ...MODERN, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } } : undefined;
    case "initialize": {
      const serverInfo = { name: "s", version: "1" };
      return isModern ? undefined : { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
    }
    case "tools/list": {
      const inputSchema = { type: "object", properties: { a: { type: "string", default: null } } };
      return { ...(isModern && MODERN), tools: [{ name: "get", inputSchema, annotations: { openWorldHint: true } }] };
    }
    default:
      return {
        ...(isModern && MODERN),
        content: [
          { type: "text", text: "done" },
          { type: "resource_link", uri: "a:b", name: "b" },
        ],
        structuredContent: STRUCTURED,
      };
  }
}

/** The message with null for each of the members that an object does not have, but for data. */
function withNulls(value: JsonValue, members: readonly string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withNulls(item, members));
  if (!isJsonObject(value)) return value;
  const data = new Set(["structuredContent", "inputSchema"]);
  const own = Object.entries(value).map(([name, member]) => [
    name,
    data.has(name) ? member : withNulls(member, members),
  ]);
  return { ...Object.fromEntries(members.map((name) => [name, null])), ...Object.fromEntries(own) };
}

function answerTo({ id = null, method }: JsonObject, isModern: boolean): JsonObject {
  const result = resultOf(String(method), isModern);
  const error = { code: -32_601, message: "Method not found" };
  return { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
}

/** How the server writes a message instead; `method` is the request's. */
type Writer = (message: JsonObject, method: string) => JsonValue;
type Transport = (write: Writer) => Promise<McpConnectionParams>;

const withNull =
  (members: readonly string[]): Writer =>
  (message) =>
    withNulls(message, members);

function http(isModern: boolean, asEvents: boolean): Transport {
  return async (write) => {
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      const message = request.method === "POST" ? JSON.parse(body) : undefined;
      if (message === undefined) return void response.writeHead(405).end();
      if (message.id === undefined) return void response.writeHead(202).end();
      const text = JSON.stringify(write(answerTo(message, isModern), message.method));
      response.writeHead(200, { "content-type": asEvents ? "text/event-stream" : "application/json; charset=utf-8" });
      // An event of several lines, as servers that indent their JSON write it.
      const lines = JSON.stringify(JSON.parse(text), undefined, 1).split("\n");
      const notice = write({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }, "");
      const events = `event: message\ndata: ${JSON.stringify(notice)}\n\n${lines.map((line) => `data: ${line}`).join("\r\n")}\r\n\r\n`;
      response.end(asEvents ? events : text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    // A server that listens on TCP has such an address.
    return { kind: "streamable-http", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
  };
}

function stdio(isModern: boolean): Transport {
  return async (write) => {
    const answers = Object.fromEntries(
      ["server/discover", "initialize", "tools/list", "tools/call"].map((method) => [
        method,
        JSON.stringify(write(answerTo({ method, id: 4711 }, isModern), method)),
      ]),
    );
    const program = `
      const answers = ${JSON.stringify(answers)};
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        if (id !== undefined && answers[method]) console.log(answers[method].replace("4711", JSON.stringify(id)));
      });`;
    const file = `${emptyFolder()}/server.cjs`;
    writeFileSync(file, program);
    return { kind: "stdio", command: process.execPath, args: [file] };
  };
}

const TRANSPORTS: readonly (readonly [string, Transport])[] = [
  ["JSON by the protocol of 2026", http(true, false)],
  ["events by the protocol of 2026", http(true, true)],
  ["JSON by the earlier protocol", http(false, false)],
  ["events by the earlier protocol", http(false, true)],
  ["a program's output, earlier protocol", stdio(false)],
  ["a program's output, protocol of 2026", stdio(true)],
];

async function callOf(connectionParams: McpConnectionParams) {
  const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init) });
  const model = new ScriptedModel([functionCallResponse("get", {}), "Done."]);
  const world = await createAgentWorld(new LlmAgent({ name: "a", model, tools: [toolset] }));
  const events = await world.run("go");
  await toolset.close();
  return { response: responsesOf(events[1])[0], declared: model.requests[0]?.functionDeclarations };
}

describe.each(TRANSPORTS)("null for members that a server does not have, in %s", (_, transport) => {
  it("means that they are absent", async () => {
    verifies("tools:mcp:usual-forms");
    const plain = await callOf(await transport((message) => message));
    expect(plain.response).toMatchObject({ structuredContent: STRUCTURED });
    expect(await callOf(await transport(withNull(OPTIONAL)))).toEqual(plain);
    // Each alone: one that is refused would not be hidden by another.
    for (const member of ["_meta", "error", "nextCursor", "structuredContent", "annotations"])
      expect(await callOf(await transport(withNull([member])))).toEqual(plain);
  });
});

/** Changes the result, or the whole answer, of one method. */
const result =
  (method: string, change: (result: JsonObject) => JsonValue): Writer =>
  (message, asked) =>
    asked === method && isJsonObject(message["result"]) ? { ...message, result: change(message["result"]) } : message;
const called = (answer: JsonValue): Writer => result("tools/call", () => answer);
const failed =
  (error: JsonObject): Writer =>
  ({ id = null, ...message }, asked) =>
    asked === "tools/call" ? { jsonrpc: "2.0", id, ...error } : { id, ...message };
const handshake = (change: (result: JsonObject) => JsonObject): Writer => result("initialize", change);
/** Of a call whose result is not changed. */
const USUAL = { structuredContent: STRUCTURED };
const DONE = { content: [{ type: "text", text: "done" }] };
const broke = { error: expect.stringMatching(/: it broke$/) };

describe.each(TRANSPORTS.filter(([name]) => name.includes("earlier")))(
  "a server with its own form of JSON-RPC, in %s",
  (_, transport) => {
    it.each<[string, Writer, object]>([
      ["an error that is a text", failed({ error: "it broke" }), broke],
      ["an error whose code is a text", failed({ error: { code: "E1", message: "it broke" } }), broke],
      [
        "an error without a message",
        failed({ error: { code: 500 } }),
        { error: expect.stringContaining('{"code":500}') },
      ],
      ["another version", (message) => ({ ...message, jsonrpc: "1.0" }), USUAL],
      ["a result that is a text", called("done"), DONE],
      ["a result that is a list", called([{ type: "text", text: "done" }]), DONE],
      ["an empty result", called({}), { content: [] }],
      ["a result that is null", called(null), { content: [] }],
      ["null among the content", called({ content: [null, ...DONE.content] }), DONE],
      [
        "a text that is null",
        called({ content: [{ type: "text", text: null }] }),
        { content: [{ type: "text", text: "" }] },
      ],
      [
        "decorations of another form",
        called({ content: [{ ...DONE.content[0], annotations: { audience: "user" } }] }),
        DONE,
      ],
      ["PHP's empty metadata", called({ ...DONE, _meta: [] }), DONE],
      ["a failure that is a text", called({ ...DONE, isError: "true" }), { ...DONE, isError: true }],
      [
        "structured content that is a list",
        called({ content: [], structuredContent: [1] }),
        { content: [], structuredContent: { result: [1] } },
      ],
      ["no name of the server", handshake(({ serverInfo: _, ...rest }) => rest), USUAL],
      [
        "a version that is a number",
        handshake((given) => ({ ...given, serverInfo: { name: "s", version: 1 } })),
        USUAL,
      ],
      ["no capabilities", handshake(({ capabilities: _, ...rest }) => rest), USUAL],
      [
        "capabilities that are true",
        handshake((given) => ({ ...given, capabilities: { tools: true, prompts: false } })),
        USUAL,
      ],
    ])("is understood: %s", async (_, write, expected) => {
      verifies("tools:mcp:usual-forms");
      const { response } = await callOf(await transport(write));
      expect(response).toMatchObject(expected);
    });
  },
);

describe.each(TRANSPORTS.filter(([name]) => !name.includes("program")))(
  "an answer that names no request, in %s",
  (_, transport) => {
    it.each<[string, Writer]>([
      ["no version", ({ jsonrpc: _, ...message }) => message],
      ["a batch", (message) => [message]],
    ])("is understood: %s", async (_, write) => {
      verifies("tools:mcp:usual-forms");
      expect((await callOf(await transport(write))).response).toMatchObject(USUAL);
    });

    it.each([null, undefined])("is the answer to its request: %s", async (id) => {
      verifies("tools:mcp:usual-forms");
      const write: Writer = (message, asked) =>
        asked === "tools/call"
          ? { jsonrpc: "2.0", ...(id === null && { id }), error: { code: 1, message: "it broke" } }
          : message;
      expect((await callOf(await transport(write))).response).toEqual(broke);
    });

    it.each<[string, (tools: JsonValue) => JsonObject]>([
      ["a map", (tools) => ({ tools: Object.fromEntries([tools].flat().map((tool) => ["get", tool])) })],
      ["null", () => ({ tools: null })],
    ])("has the tools of %s", async (_, listOf) => {
      const write = result("tools/list", ({ tools = [], ...rest }) => ({ ...rest, ...listOf(tools) }));
      const { declared = [] } = await callOf(await transport(write));
      expect(declared.map(({ name }) => name)).toEqual(listOf([{ name: "get" }])["tools"] === null ? [] : ["get"]);
    });
  },
);
