import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { isRunning } from "#test/helpers/is-running.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import type { McpConnectionParams } from "./connection-params.ts";
import { McpToolset, type McpToolsetOptions } from "./mcp-toolset.ts";

const plainFetch: typeof fetch = (input, init) => fetch(input, init);
const tool = (name: string, others: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: "object" },
  ...others,
});
const text = (words: string): JsonObject => ({ content: [{ type: "text", text: words }] });

async function createWorld(connectionParams: McpConnectionParams, calls: readonly string[], options?: object) {
  const toolset = new McpToolset({ connectionParams, fetch: plainFetch, ...(options as Partial<McpToolsetOptions>) });
  const model = new ScriptedModel([...calls.map((name) => functionCallResponse(name, {})), "Done."]);
  const logger = new RecordingLogger();
  const agent = new LlmAgent({ name: "clerk", model, tools: [toolset] });
  await using outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"], timeoutMs: 2000 });
  const world = await createAgentWorld(agent, { logger, outbound });
  onTestFinished(() => world.runner.close());
  const run = async () => {
    const events = await world.run("go");
    return events.flatMap(functionResponses).map(({ response }) => response);
  };
  return { run, model, logger, toolset };
}

const http = (url: string, others: object = {}): McpConnectionParams => ({ kind: "streamable-http", url, ...others });
const declared = ({ requests }: ScriptedModel) => requests[0]?.functionDeclarations.map(({ name }) => name);

describe("a list of a hostile server", () => {
  it("takes neither the framework's names nor those of the author's tools, and logs what it leaves out", async () => {
    verifies("tools:mcp:hostile-names");
    const names = ["adk_request_confirmation", "adk_request_input", "transfer_to_agent", "set_model_response"];
    const tools = [...names, "a\u0000b\u001b[31m\u202e", "good", "good", "9lives", ""].map((name) => tool(name));
    await using server = await startModernServer({ tools });
    const { run, model, logger } = await createWorld(http(server.url), []);
    await run();
    await run().catch(() => undefined);
    expect(declared(model)).toEqual(["a_b_31m", "good", "n_9lives"]);
    const reserved = logger.lines.filter(({ message }) => message.includes("its name is reserved"));
    expect(reserved.map(({ fields }) => fields["tool"])).toEqual(names);
  });

  it("keeps its tools beside those that do not have the protocol's form, and logs why those are left out", async () => {
    verifies("tools:mcp:broken-tools");
    const broken = [
      { name: "word_schema", inputSchema: "none" },
      { name: "list_schema", inputSchema: ["a"] },
      { name: "text_schema", inputSchema: { type: "string" } },
      { name: 5, inputSchema: { type: "object" } },
      null,
      tool("unnamed\ud800", { inputSchema: 7 }),
    ];
    // A list as a server sends it: the helper's type is that of a correct one.
    const tools = [tool("first"), ...broken, tool("last")] as readonly JsonObject[];
    await using server = await startModernServer({ tools, call: () => text("called"), list: { ttlMs: 60_000 } });
    const { run, model, logger } = await createWorld(http(server.url), ["last"]);
    expect(await run()).toEqual([text("called")]);
    expect(declared(model)).toEqual(["first", "last"]);
    const left = logger.lines.filter(({ message }) => message === "MCP tool left out");
    expect(left.map(({ fields }) => [fields["tool"], fields["problem"]])).toEqual([
      ["word_schema", expect.stringContaining("inputSchema: ")],
      ["list_schema", expect.stringContaining("inputSchema: ")],
      ["text_schema", expect.stringContaining("inputSchema.type: ")],
      ["number 5", expect.stringContaining("name: ")],
      ["unnamed\ufffd", expect.stringContaining("inputSchema: ")],
    ]);
  });

  it("keeps its tools beside a single broken one", async () => {
    verifies("tools:mcp:broken-tools");
    await using server = await startModernServer({ tools: [tool("first"), { name: "broken", inputSchema: 1 }] });
    const { run, model } = await createWorld(http(server.url), []);
    await run();
    expect(declared(model)).toEqual(["first"]);
  });

  it("reports 100 tools that are left out", async () => {
    verifies("tools:mcp:broken-tools");
    const broken = Array.from({ length: 300 }, (_, index) => ({ name: `tool${index}`, inputSchema: 1 }));
    await using server = await startModernServer({ tools: [...broken, tool("good")] });
    const { run, model, logger } = await createWorld(http(server.url), []);
    await run();
    expect(declared(model)).toEqual(["good"]);
    expect(logger.lines.filter(({ message }) => message === "MCP tool left out")).toHaveLength(100);
  });

  it("is cut at 2,000 tools, 10,000 characters of a description and 100,000 of a schema", async () => {
    verifies("tools:mcp:hostile-lists");
    const long = { description: "d".repeat(2_000_000) };
    const properties = { ["p".repeat(100_000)]: { type: "string" } };
    const many = Array.from({ length: 3000 }, (_, index) => tool(`t${index}`));
    const tools = [tool("long", long), tool("large", { inputSchema: { type: "object", properties } }), ...many];
    await using server = await startModernServer({ tools });
    const { run, model, logger } = await createWorld(http(server.url), []);
    await run();
    expect(declared(model)).toHaveLength(1999);
    expect(model.requests[0]?.functionDeclarations[0]?.description).toHaveLength(10_000);
    expect(logger.lines.map(({ fields }) => String(fields["error"]))).toEqual([
      expect.stringContaining("the schemas of large have 1000"),
    ]);
  });

  it.each([
    ["that never ends", (page: number) => `page-${page}`],
    ["that leads to itself", () => "same"],
  ])("%s is an error, and the run ends", async (_, cursor) => {
    verifies("tools:mcp:hostile-lists");
    let pages = 0;
    await using server = await startModernServer({
      tools: [],
      list: {
        get nextCursor(): string {
          pages += 1;
          return cursor(pages);
        },
      },
    });
    const { run } = await createWorld(http(server.url), []);
    const outcome = await run().catch((error: unknown) => String(error));
    // A list is tried three times.
    expect(pages).toBeLessThanOrEqual(3 * 64);
    expect(typeof outcome === "string" ? outcome : "no tools").toMatch(/its list could not be read|no tools/);
  });

  it("gives a resource's name no room in the instructions beyond 200 characters", async () => {
    verifies("tools:mcp:hostile-lists");
    const resources = Array.from({ length: 1000 }, (_, index) => ({
      uri: `test://${index}`,
      name: `${index}${"n".repeat(5000)}`,
    }));
    await using server = await startModernServer({ tools: [], answer: () => ({ resources }) });
    const { run, model } = await createWorld(http(server.url), [], { useMcpResources: true });
    await run();
    expect(model.requests[0]?.systemInstruction.length).toBeLessThan(50_000);
  });
});

/** Answers to the calls of tools, as the server sends them; `good` works. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse, reply: (result: JsonObject) => string) => void>> = {
  good: (response, reply) => json(response, reply(text("good"))),
  silent: () => undefined,
  drip: (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write(": wait\n\n"), 10);
    response.once("close", () => clearInterval(timer));
  },
  no_answer: (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(": done\n\n"),
  stopped: (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n", () => response.destroy());
  },
  breaks_off: (response) => void response.destroy(),
  half: (response) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":', () => response.destroy());
  },
  no_json: (response) => json(response, "<html>"),
  wrong_type: (response) => void response.writeHead(200, { "content-type": "image/png" }).end("x"),
  no_result: (response, reply) => json(response, reply({ content: [], resultType: 7 })),
  gzip_bomb: (response) => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    response.writeHead(200, headers).end(gzipSync(Buffer.alloc(64 * 1024 * 1024, " ")));
  },
  huge: (response, reply) => json(response, reply(text("x".repeat(5_000_000)))),
  inner_redirect: (response) => void response.writeHead(307, { location: "http://169.254.169.254/" }).end(),
  deep: (response, reply) => {
    const value = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    json(response, reply({ ...text("deep"), structuredContent: { a: 0 } }).replace('"a":0', `"a":${value}`));
  },
};

function json(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(body);
}

async function startHostileServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString("utf8"));
    if (id === undefined) return response.writeHead(202).end();
    const complete = { resultType: "complete", ttlMs: 60_000, cacheScope: "private" };
    const reply = (result: JsonObject): string =>
      JSON.stringify({ jsonrpc: "2.0", id, result: { ...complete, ...result } });
    if (method === "server/discover")
      return json(response, reply({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }));
    if (method === "tools/list")
      return json(response, reply({ tools: Object.keys(ANSWERS).map((name) => tool(name)) }));
    return ANSWERS[params.name]?.(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe("the answer of a hostile server to a call", () => {
  const names = Object.keys(ANSWERS).filter((name) => name !== "good");

  it.each(names)("is an error that the model reads, and the next call works: %s", async (name) => {
    verifies("tools:mcp:hostile-answers");
    const { run } = await createWorld(http(await startHostileServer(), { readTimeoutMs: 1500 }), [name, "good"]);
    expect(await run()).toEqual([{ error: expect.stringMatching(/.{10}/) }, text("good")]);
  });

  it.each(["no_answer", "stopped"])("is not waited for when its stream has ended: %s", async (name) => {
    verifies("tools:mcp:hostile-answers");
    const { run } = await createWorld(http(await startHostileServer()), [name, "good"]);
    expect(await run()).toEqual([
      { error: expect.stringContaining("ended its stream without an answer") },
      text("good"),
    ]);
  });

  it("cannot block this process with the schema of its results", async () => {
    verifies("tools:mcp:hostile-answers");
    let value: JsonObject = {};
    for (let level = 0; level < 60; level += 1) value = { a: value };
    const twice: JsonValue = [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }];
    const n = { type: "object", properties: { a: { anyOf: twice } }, required: ["x"] };
    const recursive = { type: "object", allOf: [{ $ref: "#/$defs/n" }], $defs: { n } };
    const each = { type: "array", items: { allOf: Array.from({ length: 4000 }, () => ({ type: "number" })) } };
    await using server = await startModernServer({
      tools: [
        tool("recursive", { outputSchema: recursive }),
        tool("large", { outputSchema: { type: "object", properties: { list: each } } }),
      ],
      call: ({ params }) => ({
        ...text("x"),
        structuredContent: params["name"] === "large" ? { list: Array.from({ length: 100_000 }, () => 1) } : value,
      }),
    });
    const { run } = await createWorld(http(server.url), ["recursive", "large"]);
    // The list of the second is too large to be checked, and is passed on as it is.
    expect(await run()).toEqual([
      { ...text("x"), structuredContent: value, schemaProblems: expect.stringContaining("x") },
      { ...text("x"), structuredContent: { list: expect.any(Array) } },
    ]);
  });

  it("may be to a tool that its list does not have any more", async () => {
    const tools = [tool("first")];
    await using server = await startModernServer({
      tools,
      call: ({ params }) => {
        tools.splice(0, 1, tool("second"));
        return text(String(params["name"]));
      },
    });
    const { run } = await createWorld(http(server.url), ["first", "first", "second"]);
    expect(await run()).toEqual([text("first"), { error: expect.stringContaining("first") }, text("second")]);
  });
});

describe("a hostile program", () => {
  it.each([
    ["writes a line without end", "const w = () => process.stdout.write('x'.repeat(1 << 20), w); w()", 20_000],
    [
      "writes other lines without end",
      "const w = () => process.stdout.write('noise\\n'.repeat(1 << 16), w); w()",
      1500,
    ],
    ["ends at once", "process.exit(3)", 20_000],
    ["never answers", "setInterval(() => {}, 1000)", 1500],
  ])("that %s fails the run with its name, and leaves no process", async (_, script, timeoutMs) => {
    verifies("tools:mcp:hostile-programs");
    const pids = join(mkdtempSync(join(tmpdir(), "mcp-")), "pids");
    const noted = `require("node:fs").appendFileSync(process.env.PIDS, process.pid + "\\n"); ${script}`;
    const env = { PIDS: pids };
    const params = { kind: "stdio", command: process.execPath, args: ["-e", noted], env, timeoutMs } as const;
    const { run, toolset } = await createWorld(params, []);
    const problem = timeoutMs === 1500 ? "the server did not answer" : "(?!.*did not answer)";
    await expect(run()).rejects.toThrow(new RegExp(`MCP server node.*: no connection could be opened: ${problem}`));
    expect(toolset.openConnections).toBe(0);
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    // One connection is tried by each of the two handshakes.
    await vi.waitFor(() => expect(started.map(isRunning)).toEqual([false, false]), { timeout: 20_000, interval: 50 });
  });
});

describe("a program that cannot be started as a server", () => {
  const node = (script: string, others: object = {}) =>
    ({ kind: "stdio", command: process.execPath, args: ["-e", script], timeoutMs: 1500, ...others }) as const;

  it("leaves what it wrote to its standard error in the log, without the values of its variables, and not in the error", async () => {
    verifies("tools:mcp:output-of-programs");
    const script =
      "console.error('x'.repeat(9000)); console.error('DATABASE is not set,', process.env.API_KEY); process.exit(3)";
    const { run, logger } = await createWorld(node(script, { env: { API_KEY: "not-a-known-form" } }), []);
    await expect(run()).rejects.toThrow(
      /^MCP server node: no connection could be opened: its process ended with code 3\.$/,
    );
    const lines = logger.lines.filter(({ message }) => message === "MCP server not started");
    expect(lines.map(({ fields: { server, output } }) => ({ server, output }))).toEqual([
      { server: "node", output: "DATABASE is not set, [redacted]" },
    ]);
  });

  it.each([
    [
      "is slow",
      node("setInterval(() => {}, 1000)"),
      "the server did not answer within 1500 ms, the limit of timeoutMs.",
    ],
    ["has no folder", node("", { cwd: "/no/such/folder" }), "the folder of `cwd` does not exist."],
    [
      "does not exist",
      node("", { command: "no-such-program" }),
      "its process ended with code 127: the command was not found.",
    ],
  ])("fails with what to change: it %s", async (_, params, problem) => {
    verifies("tools:mcp:start-errors");
    const { run } = await createWorld(params, []);
    await expect(run()).rejects.toThrow(`: no connection could be opened: ${problem}`);
  });
});

it.each([
  ["status", "/nothing", {}, "(HTTP 404)"],
  ["time limit of the connection", "/silent", { timeoutMs: 300 }, "within 300 ms, the limit of timeoutMs."],
  ["time limit of a request", "/calls", { readTimeoutMs: 300 }, "within 300 ms, the limit of readTimeoutMs."],
] as const)("an error names the %s", async (_, path, limits, problem) => {
  verifies("tools:mcp:start-errors");
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString("utf8") || "{}");
    if (request.url === "/nothing") return response.writeHead(404).end("no");
    if (request.url === "/silent" || method !== "server/discover") return undefined;
    const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    return json(
      response,
      JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, ttlMs: 1, cacheScope: "private" } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { run } = await createWorld(http(origin + path, limits), []);
  await expect(run()).rejects.toThrow(problem);
});
