import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { callMcp, FULL_CLIENT } from "#test/helpers/mcp/mcp-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

async function startServer(steps: readonly ScriptedStep[], settings: Readonly<Record<string, string>> = {}) {
  const paid: unknown[] = [];
  const pay = new FunctionTool({
    name: "pay",
    description: "Pays.",
    requireConfirmation: true,
    execute: () => {
      paid.push("once");
      return { paid: true };
    },
  });
  const model = new ScriptedModel(steps);
  const order = new LongRunningFunctionTool({
    name: "order",
    description: "Orders.",
    execute: () => ({ status: "pending" }),
  });
  const clerk = new LlmAgent({ name: "clerk", description: "Pays invoices.", model, tools: [pay, order] });
  const other = new LlmAgent({ name: "other", description: "Not offered.", model: new ScriptedModel([]) });
  const agentLoader = new StaticAgentLoader([
    createApp({ name: "clerk", rootAgent: clerk }),
    createApp({ name: "hidden", rootAgent: other }),
  ]);
  const config = loadConfig(standaloneConfigSchema, {
    PORT: "0",
    SESSION_STORE: "memory",
    DEV_UI: "false",
    MCP_APPS: "clerk",
    ...settings,
  });
  const server = await createStandalone({ config, agentLoader, logger: new RecordingLogger() });
  onTestFinished(() => server[Symbol.asyncDispose]());
  // The server listens on a port.
  const { port } = server.gateway.server.address() as AddressInfo;
  return { gateway: server.gateway, model, paid, url: new URL(`http://127.0.0.1:${port}/mcp`) };
}

describe("/mcp", () => {
  it("offers the apps of MCP_APPS as tools, and a call is a run", async () => {
    verifies("platform:mcp:tools");
    const { gateway } = await startServer(["It is done."]);
    const listed = await callMcp(gateway, "tools/list");
    expect(listed).toMatchObject({
      status: 200,
      result: {
        resultType: "complete",
        ttlMs: 60_000,
        cacheScope: "private",
        tools: [{ name: "clerk", description: "Pays invoices.", inputSchema: { required: ["request"] } }],
      },
    });
    const called = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Do it." } });
    expect(called.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "It is done." }] });
    const meta = Object(called.result?.["_meta"]);
    const run = (await gateway.inject(`/v1/runs/${meta["fairlead/runId"]}`)).json<Record<string, unknown>>();
    expect(run).toMatchObject({ status: "succeeded", appName: "clerk", sessionId: meta["fairlead/sessionId"] });
  });

  it("is not there unless apps are offered", async () => {
    const { gateway } = await startServer([], { MCP_APPS: "" });
    expect((await gateway.inject({ method: "POST", url: "/mcp", payload: {} })).statusCode).toBe(404);
  });

  it("continues a conversation by its session", async () => {
    const { gateway, model } = await startServer(["One.", "Two."]);
    const first = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "First" } });
    const sessionId = Object(first.result?.["_meta"])["fairlead/sessionId"];
    await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Second", sessionId } });
    const texts = model.requests[1]?.contents.map(({ parts }) => parts?.[0]?.text);
    expect(texts).toEqual(["First", "One.", "Second"]);
  });

  it("runs a repeated call under one key once", async () => {
    verifies("platform:mcp:idempotent");
    const { gateway, model } = await startServer(["Once."]);
    const call = (request: string) =>
      callMcp(
        gateway,
        "tools/call",
        { name: "clerk", arguments: { request } },
        { headers: { "idempotency-key": "k1" } },
      );
    const [first, second] = [await call("Do it."), await call("Do it.")];
    expect(second.result).toEqual(first.result);
    expect(model.callCount).toBe(1);
    expect((await call("Do another thing.")).status).toBe(422);
  });

  it("reports a failure of the agent as a result that a model can read", async () => {
    const { gateway } = await startServer([new Error("The model is broken.")]);
    const called = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Do it." } });
    expect(called.result).toMatchObject({ isError: true, content: [{ type: "text", text: expect.any(String) }] });
  });

  it("asks the client's user what the run waits for, and takes the answer once", async () => {
    verifies("platform:mcp:input");
    const { gateway, paid } = await startServer([functionCallResponse("pay"), "Paid."]);
    const asked = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Pay." } });
    const { inputRequests, requestState } = asked.result ?? {};
    const [id = ""] = Object.keys(Object(inputRequests));
    expect(asked.result).toMatchObject({
      resultType: "input_required",
      inputRequests: { [id]: { method: "elicitation/create", params: { mode: "form" } } },
    });
    const repeat = (inputResponses: unknown) =>
      callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Pay." }, requestState, inputResponses });
    const accept = { action: "accept", content: { confirmed: true } };
    expect((await repeat({ [id]: 7 })).error?.code).toBe(-32602);
    expect((await repeat(null)).error?.code).toBe(-32602);
    expect((await repeat({})).result).toMatchObject({ resultType: "input_required", inputRequests });
    expect(paid).toEqual([]);
    const done = await repeat({ [id]: accept, unknown: accept });
    expect(done.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "Paid." }] });
    expect((await repeat({ [id]: accept })).result).toEqual(done.result);
    expect(paid).toEqual(["once"]);
  });

  it.each(["decline", "cancel", "accept"])("does not run what the user does not confirm: %s", async (action) => {
    const { gateway, paid } = await startServer([functionCallResponse("pay"), "Not paid."]);
    const params = { name: "clerk", arguments: { request: "Pay." } };
    const { inputRequests, requestState } = (await callMcp(gateway, "tools/call", params)).result ?? {};
    const inputResponses = Object.fromEntries(Object.keys(Object(inputRequests)).map((id) => [id, { action }]));
    const done = await callMcp(gateway, "tools/call", { ...params, requestState, inputResponses });
    expect(done.result).toMatchObject({ content: [{ type: "text", text: "Not paid." }] });
    expect(paid).toEqual([]);
  });

  it("does not ask the user for the end of work that has begun: a call", async () => {
    const { gateway } = await startServer([functionCallResponse("order"), "It is ordered."]);
    const called = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Order." } });
    expect(called.result).toMatchObject({ resultType: "complete", content: [{ text: "It is ordered." }] });
  });

  it("does not ask the user for the end of work that has begun: a task", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const ordering: ScriptedStep = async () => {
      await gate;
      return functionCallResponse("order");
    };
    const { gateway } = await startServer([ordering, "It is ordered."], { MCP_TASK_AFTER_MS: "0" });
    const params = { name: "clerk", arguments: { request: "Order." } };
    const client = { capabilities: FULL_CLIENT };
    const taskId = String((await callMcp(gateway, "tools/call", params, client)).result?.["taskId"]);
    open();
    const get = async () => (await callMcp(gateway, "tasks/get", { taskId }, client)).result ?? {};
    await expect.poll(async () => (await get())["status"]).toBe("completed");
    expect(await get()).toMatchObject({ result: { content: [{ type: "text", text: "It is ordered." }] } });
  });

  it("reports that a run waits to a client that cannot ask", async () => {
    const { gateway } = await startServer([functionCallResponse("pay")]);
    const params = { name: "clerk", arguments: { request: "Pay." } };
    const called = await callMcp(gateway, "tools/call", params, { capabilities: {} });
    expect(called.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("cannot ask") }] });
  });

  it("turns a long call into a task, which takes answers and ends with the result", async () => {
    verifies("platform:mcp:tasks");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const held: ScriptedStep = async () => {
      await gate;
      return functionCallResponse("pay");
    };
    const { gateway, paid } = await startServer([held, "Paid."], { MCP_TASK_AFTER_MS: "0" });
    const client = { capabilities: FULL_CLIENT };
    const task = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Pay." } }, client);
    expect(task.result).toMatchObject({ resultType: "task", ttlMs: null, taskId: expect.any(String) });
    const taskId = String(task.result?.["taskId"]);
    const get = async () => (await callMcp(gateway, "tasks/get", { taskId }, client)).result ?? {};
    expect(await get()).toMatchObject({ resultType: "complete", status: "working" });
    open();
    await expect.poll(async () => (await get())["status"]).toBe("input_required");
    const [id = ""] = Object.keys(Object((await get())["inputRequests"]));
    const inputResponses = { [id]: { action: "accept", content: { confirmed: true } } };
    for (let times = 0; times < 2; times += 1) {
      const { _meta, ...ack } =
        (await callMcp(gateway, "tasks/update", { taskId, inputResponses }, client)).result ?? {};
      expect(ack).toEqual({ resultType: "complete" });
    }
    await expect.poll(async () => (await get())["status"]).toBe("completed");
    expect(await get()).toMatchObject({ result: { content: [{ type: "text", text: "Paid." }] } });
    expect(paid).toEqual(["once"]);
  });

  it("completes the task of an agent that fails, with a result that says so", async () => {
    verifies("platform:mcp:tasks");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const failing: ScriptedStep = async () => {
      await gate;
      throw new Error("The model is broken.");
    };
    const { gateway } = await startServer([failing], { MCP_TASK_AFTER_MS: "0" });
    const client = { capabilities: FULL_CLIENT };
    const task = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Go." } }, client);
    const taskId = String(task.result?.["taskId"]);
    open();
    const get = async () => (await callMcp(gateway, "tasks/get", { taskId }, client)).result ?? {};
    await expect.poll(async () => (await get())["status"]).not.toBe("working");
    expect(await get()).toMatchObject({ status: "completed", result: { isError: true } });
  });

  it("cancels a task", async () => {
    const never: ScriptedStep = () => new Promise(() => {});
    const { gateway } = await startServer([never], { MCP_TASK_AFTER_MS: "0" });
    const client = { capabilities: FULL_CLIENT };
    const task = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Go." } }, client);
    const taskId = String(task.result?.["taskId"]);
    const { _meta, ...ack } = (await callMcp(gateway, "tasks/cancel", { taskId }, client)).result ?? {};
    expect(ack).toEqual({ resultType: "complete" });
    const status = async () => (await callMcp(gateway, "tasks/get", { taskId }, client)).result?.["status"];
    await expect.poll(status).toBe("cancelled");
  });

  it("cancels a task that waits for input: no later answer takes effect, and the conversation continues", async () => {
    verifies("platform:mcp:cancel-waiting");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const held: ScriptedStep = async () => {
      await gate;
      return functionCallResponse("pay");
    };
    const { gateway, model, paid } = await startServer([held, "Noted.", "Hello."], { MCP_TASK_AFTER_MS: "0" });
    const client = { capabilities: FULL_CLIENT };
    const call = { name: "clerk", arguments: { request: "Pay." } };
    const taskId = String((await callMcp(gateway, "tools/call", call, client)).result?.["taskId"]);
    const get = async () => (await callMcp(gateway, "tasks/get", { taskId }, client)).result ?? {};
    open();
    await expect.poll(async () => (await get())["status"]).toBe("input_required");
    const [id = ""] = Object.keys(Object((await get())["inputRequests"]));

    for (let times = 0; times < 2; times += 1) {
      const { _meta, ...ack } = (await callMcp(gateway, "tasks/cancel", { taskId }, client)).result ?? {};
      expect(ack).toEqual({ resultType: "complete" });
    }
    await expect.poll(async () => (await get())["status"]).toBe("cancelled");
    expect(await get()).toEqual({
      resultType: "complete",
      taskId,
      status: "cancelled",
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttlMs: null,
      pollIntervalMs: 1000,
      _meta: expect.anything(),
    });

    const inputResponses = { [id]: { action: "accept", content: { confirmed: true } } };
    await callMcp(gateway, "tasks/update", { taskId, inputResponses }, client);
    const { runs } = (await gateway.inject("/v1/runs")).json<{ runs: { status: string; sessionId: string }[] }>();
    expect(runs.map(({ status }) => status)).toEqual(["cancelled", "awaiting_input"]);
    const sessionId = runs[0]?.sessionId ?? "";
    const parts = [{ functionResponse: { id, name: "adk_request_confirmation", response: { confirmed: true } } }];
    const body = { appName: "clerk", userId: "mcp", sessionId };
    await gateway.inject({ method: "POST", url: "/run", payload: { ...body, newMessage: { role: "user", parts } } });
    expect(paid).toEqual([]);
    const said = await gateway.inject({
      method: "POST",
      url: "/run",
      payload: { ...body, newMessage: { role: "user", parts: [{ text: "Hi." }] } },
    });
    expect(said.statusCode).toBe(200);
    expect([paid, model.callCount]).toEqual([[], 3]);
  });

  it("gives no task to a client that does not know them", async () => {
    const { gateway } = await startServer(["Slow."], { MCP_TASK_AFTER_MS: "0" });
    const called = await callMcp(gateway, "tools/call", { name: "clerk", arguments: { request: "Go." } });
    expect(called.result).toMatchObject({ resultType: "complete", content: [{ text: "Slow." }] });
    const asked = await callMcp(gateway, "tasks/get", { taskId: "x" });
    expect([asked.status, asked.error?.code]).toEqual([400, -32021]);
  });

  it("cancels the run of a client that closes its request", async () => {
    verifies("platform:mcp:closed");
    const never: ScriptedStep = () => new Promise(() => {});
    const { gateway, model, url } = await startServer([never]);
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(url));
    onTestFinished(() => client.close());
    const controller = new AbortController();
    const calling = client.callTool(
      { name: "clerk", arguments: { request: "Go." } },
      { signal: controller.signal, timeout: 20_000 },
    );
    await expect.poll(() => model.callCount).toBe(1);
    controller.abort(new Error("left"));
    await expect(calling).rejects.toThrow();
    const status = async () => Object((await gateway.inject("/v1/runs")).json()).runs[0].status;
    await expect.poll(status).toBe("cancelled");
  });

  it.each([
    [
      "2026-07-28",
      async (url: URL) => {
        const client = new Client(
          { name: "test", version: "1" },
          { versionNegotiation: { mode: { pin: "2026-07-28" } } },
        );
        await client.connect(new StreamableHTTPClientTransport(url));
        onTestFinished(() => client.close());
        const progress: number[] = [];
        const result = await client.callTool(
          { name: "clerk", arguments: { request: "Go." } },
          { onprogress: (seen) => progress.push(seen.progress) },
        );
        return { tools: (await client.listTools()).tools, result, progress };
      },
    ],
    [
      "2025-11-25",
      async (url: URL) => {
        const client = new OldClient({ name: "test", version: "1" });
        await client.connect(new OldTransport(url));
        onTestFinished(() => client.close());
        const progress: number[] = [];
        const params = { name: "clerk", arguments: { request: "Go." } };
        const result = await client.callTool(params, undefined, { onprogress: (seen) => progress.push(seen.progress) });
        return { tools: (await client.listTools()).tools, result, progress };
      },
    ],
  ])("serves the clients of the protocol's own packages: %s", async (_version, use) => {
    verifies("platform:mcp:clients");
    const { url } = await startServer(["Done."]);
    const { tools, result, progress } = await use(url);
    expect(tools.map(({ name }) => name)).toEqual(["clerk"]);
    expect(result).toMatchObject({ content: [{ type: "text", text: "Done." }] });
    expect(progress).toEqual([1]);
  });
});
