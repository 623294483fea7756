import { describe, expect, it, onTestFinished } from "vitest";
import { createGateway } from "#services/gateway/app.ts";
import { type Caller, EVERYBODY } from "#services/gateway/identity/caller.ts";
import type { Scope } from "#services/gateway/identity/scopes.ts";
import { callMcp, FULL_CLIENT } from "#test/helpers/mcp/mcp-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

function callerNamed(userId: string, scopes: readonly Scope[]): Caller {
  return { ...EVERYBODY, subject: userId, userId, scopes: new Set(scopes) };
}

const CALL = { name: "echo", arguments: { request: "Hi" } };
const start = (options: GatewayWorldOptions = {}) =>
  startGateway({ ...options, config: { MCP_APPS: ["echo"], ...options.config } });

describe("requests at /mcp", () => {
  it("answers what the server is", async () => {
    await using world = await start();
    expect(await callMcp(world.gateway, "server/discover")).toEqual({
      status: 200,
      jsonrpc: "2.0",
      id: 1,
      result: {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
        ttlMs: 60_000,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "fairlead", version: "0.1.0" } },
      },
    });
  });

  it.each([
    ["a missing version header", { headers: { "mcp-protocol-version": undefined } }, -32020],
    ["another version in the header", { headers: { "mcp-protocol-version": "2025-11-25" } }, -32020],
    ["a missing method header", { headers: { "mcp-method": undefined } }, -32020],
    ["another method in the header", { headers: { "mcp-method": "tools/list" } }, -32020],
    ["a missing name header", { headers: { "mcp-name": undefined } }, -32020],
    ["another name in the header", { headers: { "mcp-name": "other" } }, -32020],
    ["another name in base64", { headers: { "mcp-name": "=?base64?b3RoZXI=?=" } }, -32020],
    [
      "an unknown version",
      {
        headers: { "mcp-protocol-version": "2099-01-01" },
        meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
      },
      -32022,
    ],
    ["no capabilities", { meta: { "io.modelcontextprotocol/clientCapabilities": 1 } }, -32602],
  ])("refuses %s, and starts no run", async (_title, options, code) => {
    verifies("platform:mcp:headers");
    await using world = await start();
    const answer = await callMcp(world.gateway, "tools/call", CALL, options);
    expect([answer.status, answer.error?.code]).toEqual([400, code]);
    expect(world.runner.started).toEqual([]);
  });

  it("names the versions of server/discover to a request of an unknown one", async () => {
    verifies("platform:mcp:headers");
    await using world = await start();
    const version = "2099-01-01";
    const answer = await callMcp(
      world.gateway,
      "server/discover",
      {},
      {
        headers: { "mcp-protocol-version": version },
        meta: { "io.modelcontextprotocol/protocolVersion": version },
      },
    );
    const { result } = await callMcp(world.gateway, "server/discover");
    expect(answer).toMatchObject({
      status: 400,
      error: { code: -32022, data: { supported: result?.["supportedVersions"], requested: version } },
    });
  });

  it("accepts a name in base64", async () => {
    await using world = await start();
    const headers = { "mcp-name": `=?base64?${Buffer.from("echo").toString("base64")}?=` };
    expect((await callMcp(world.gateway, "tools/call", CALL, { headers })).result).toMatchObject({
      content: [{ text: "hello" }],
    });
  });

  it.each([
    [[], -32600],
    [[{ jsonrpc: "2.0", id: 1, method: "tools/list" }], -32600],
    [{}, -32600],
    ["tools/list", -32600],
    [{ jsonrpc: "1.0", id: 1, method: "ping" }, -32600],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, -32600],
    [{ jsonrpc: "2.0", id: 1, method: 5 }, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, -32600],
  ])("refuses the body %j", async (payload, code) => {
    await using world = await start();
    const headers = { "content-type": "application/json" };
    const answer = await world.gateway.inject({
      method: "POST",
      url: "/mcp",
      headers,
      payload: JSON.stringify(payload),
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { jsonrpc: "2.0", error: { code } }]);
  });

  it.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "subscriptions/listen",
    "prompts/list",
    "constructor",
    "tasks/list",
  ])("does not offer %s in the stateless revision", async (method) => {
    await using world = await start();
    const answer = await callMcp(world.gateway, method);
    expect([answer.status, answer.error?.code]).toEqual([404, -32601]);
  });

  it.each([
    [{ name: "hidden", arguments: { request: "x" } }, -32602],
    [{ name: "constructor", arguments: { request: "x" } }, -32602],
    [{ name: 7 }, -32602],
    [{ ...CALL, arguments: [] }, -32602],
    [{ ...CALL, requestState: "e30", inputResponses: {} }, -32602],
    [{ ...CALL, requestState: { runId: "x" }, inputResponses: {} }, -32602],
    [{ ...CALL, requestState: Buffer.from('{"runId":"none"}').toString("base64url"), inputResponses: {} }, -32602],
  ])("answers an error for the call %j", async (params, code) => {
    await using world = await start();
    const answer = await callMcp(world.gateway, "tools/call", params);
    expect([answer.status, answer.error?.code]).toEqual([200, code]);
    expect(world.runner.started).toEqual([]);
  });

  it.each([{}, { request: "" }, { request: 5 }, { request: "x", sessionId: "" }, { request: "x", sessionId: 1 }])(
    "lets the model correct the arguments %j",
    async (args) => {
      await using world = await start();
      const { result } = await callMcp(world.gateway, "tools/call", { name: "echo", arguments: args });
      expect(result).toMatchObject({ isError: true });
      expect(world.runner.started).toEqual([]);
    },
  );

  it("answers an unknown tool alike with every argument, if all apps are offered", async () => {
    await using world = await start({ config: { MCP_APPS: ["*"] } });
    for (const args of [{}, { request: "" }, { request: "x", sessionId: 1 }]) {
      const answer = await callMcp(world.gateway, "tools/call", { name: "none", arguments: args });
      expect(answer).toMatchObject({ status: 200, error: { code: -32602, message: "There is no such tool." } });
    }
  });

  it.each([["none"], ["../x"], [""], [7]])("answers an unknown task like one of another app: %j", async (taskId) => {
    await using world = await start();
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const answer = await callMcp(
        world.gateway,
        method,
        { taskId, inputResponses: {} },
        { capabilities: FULL_CLIENT },
      );
      expect(answer).toMatchObject({ status: 200, error: { code: -32602, message: "There is no such task." } });
    }
  });

  it("serves older revisions without sessions", async () => {
    await using world = await start();
    const post = (message: object, headers = {}) =>
      world.gateway.inject({ method: "POST", url: "/mcp", headers, payload: { jsonrpc: "2.0", ...message } });
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    expect((await post({ id: 1, method: "initialize", params })).json()).toMatchObject({
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "fairlead" } },
    });
    const newer = { ...params, protocolVersion: "2099-01-01" };
    expect((await post({ id: 1, method: "initialize", params: newer })).json()).toMatchObject({
      result: { protocolVersion: "2025-11-25" },
    });
    expect((await post({ method: "notifications/initialized" })).statusCode).toBe(202);
    expect((await post({ id: 2, method: "ping" })).json()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    const called = (await post({ id: "a", method: "tools/call", params: CALL })).json<Record<string, object>>();
    expect(called).toMatchObject({ id: "a", result: { content: [{ type: "text", text: "hello" }] } });
    expect(called["result"]).not.toHaveProperty("resultType");
    expect((await post({ id: 3, method: "ping" }, { "mcp-protocol-version": "1999-01-01" })).statusCode).toBe(400);
    expect((await world.gateway.inject("/mcp")).statusCode).toBe(405);
  });

  it.each([
    ["null", -32_600],
    ["1e999", -32_600],
    ["[1]", -32_600],
  ])("refuses the id %s, which its answer could not repeat", async (id, code) => {
    await using world = await start();
    const payload = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
    const headers = { "content-type": "application/json" };
    const response = await world.gateway.inject({ method: "POST", url: "/mcp", headers, payload });
    expect([response.statusCode, response.json()]).toMatchObject([400, { id: null, error: { code } }]);
  });

  it("answers errors of HTTP as JSON to clients that accept it beside streams", async () => {
    verifies("platform:mcp:errors");
    await using world = await start();
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const response = await world.gateway.inject({ method: "POST", url: "/mcp", headers, payload: '{"jsonrpc":' });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([400, "application/json; charset=utf-8"]);
    expect(response.json()).toMatchObject({ reason: "MALFORMED_JSON" });
  });

  it("gives clients of 2025-11-25 the result of a call in place of a task", async () => {
    verifies("platform:mcp:older-tasks");
    await using world = await start();
    const headers = { "mcp-protocol-version": "2025-11-25" };
    const post = async (method: string, params: object) => {
      const payload = { jsonrpc: "2.0", id: 1, method, params };
      return (await world.gateway.inject({ method: "POST", url: "/mcp", headers, payload })).json();
    };
    const client = {
      protocolVersion: "2025-11-25",
      capabilities: { tasks: {} },
      clientInfo: { name: "t", version: "1" },
    };
    expect((await post("initialize", client)).result.capabilities).toEqual({ tools: {} });
    expect((await post("tools/list", {})).result.tools[0]).not.toHaveProperty("execution");
    const called = await post("tools/call", { ...CALL, task: { ttl: 60_000 } });
    expect(called.result.content).toEqual([{ type: "text", text: "hello" }]);
    for (const method of ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])
      expect(await post(method, { taskId: "x" })).toMatchObject({ error: { code: -32_601 } });
  });

  it("refuses pages of other origins", async () => {
    await using world = await start();
    const answer = await callMcp(world.gateway, "tools/call", CALL, { headers: { origin: "https://evil.example" } });
    expect(answer.status).toBe(403);
    expect(world.runner.started).toEqual([]);
  });

  it("shows a caller its own tasks alone, as far as its scopes allow", async () => {
    verifies("platform:mcp:access");
    const callers: Readonly<Record<string, Caller>> = {
      ada: callerNamed("ada", ["runs:write", "sessions:read"]),
      bob: callerNamed("bob", ["runs:write", "sessions:read"]),
      ada_reads: callerNamed("ada", ["sessions:read"]),
      ada_runs: callerNamed("ada", ["runs:write"]),
      ada_elsewhere: { ...callerNamed("ada", ["runs:write", "sessions:read"]), apps: ["other"] },
      ada_of_b: { ...callerNamed("ada", ["runs:write", "sessions:read"]), tenantId: "b" },
    };
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    onTestFinished(() => open());
    await using world = await start({
      config: { MCP_APPS: ["*"], MCP_TASK_AFTER_MS: 0 },
      script: () => gate,
      deps: { authenticators: [{ authenticate: ({ headers }) => callers[String(headers["x-caller"])] }] },
    });
    const as = (caller: string, method: string, params: Readonly<Record<string, unknown>>) =>
      callMcp(world.gateway, method, params, { capabilities: FULL_CLIENT, headers: { "x-caller": caller } });
    const { taskId } = (await as("ada", "tools/call", CALL)).result ?? {};
    expect(taskId).toEqual(expect.any(String));
    expect(world.runner.started.map(({ session }) => session.userId)).toEqual(["ada"]);
    for (const caller of ["bob", "ada_elsewhere", "ada_of_b"]) {
      const absent = await as(caller, "tasks/get", { taskId: "absent" });
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
        expect(await as(caller, method, { taskId, inputResponses: {} })).toEqual(absent);
    }
    expect((await as("ada_reads", "tasks/get", { taskId })).result).toMatchObject({ taskId });
    const refused = [
      await as("ada_reads", "tools/call", CALL),
      await as("ada_reads", "tasks/update", { taskId, inputResponses: {} }),
      await as("ada_reads", "tasks/cancel", { taskId }),
      await as("ada_runs", "tasks/get", { taskId }),
      await as("nobody", "tools/list", {}),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 401]);
    expect((await as("ada_elsewhere", "tools/list", {})).result).toMatchObject({ tools: [] });
    expect((await as("ada_elsewhere", "tools/call", CALL)).error).toEqual(
      (await as("ada", "tools/call", { ...CALL, name: "none" })).error,
    );
    expect(world.runner.cancelled).toEqual([]);
  });

  it("answers for a task that another gateway has begun", async () => {
    verifies("platform:mcp:replicas");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    await using world = await start({
      config: { MCP_APPS: ["echo"], MCP_TASK_AFTER_MS: 0 },
      script: async (run) => {
        await gate;
        await run.say("late");
      },
    });
    const other = await createGateway(world.deps);
    await using _closed = { [Symbol.asyncDispose]: () => other.close() };
    const client = { capabilities: FULL_CLIENT };
    const { taskId } = (await callMcp(world.gateway, "tools/call", CALL, client)).result ?? {};
    const get = async () => (await callMcp(other, "tasks/get", { taskId }, client)).result;
    expect(await get()).toMatchObject({ status: "working", taskId });
    open();
    await expect.poll(async () => (await get())?.["status"]).toBe("completed");
    expect(await get()).toMatchObject({ result: { content: [{ text: "late" }] } });
  });
});
