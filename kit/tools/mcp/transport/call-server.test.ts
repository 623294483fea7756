import { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import { McpToolError } from "#kit/errors/mcp-errors.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { callServer, type ServerCall } from "../call-server.ts";
import { McpConnection } from "../mcp-connection.ts";
import type { McpServer } from "../mcp-server.ts";

const URL_PARAMS = { mode: "url", message: "Open it.", url: "https://sign.example", elicitationId: "e" } as const;

/** One call of a server; `send` is what the server does. */
async function call(send: ServerCall<object>["send"], signal = new AbortController().signal) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { url: {} }, roots: {} } });
  const connection = new McpConnection(client, { requestMs: 1000, allowSampling: false });
  const server = {
    name: "shop",
    request: (_scope: unknown, use: (lent: McpConnection) => Promise<unknown>) => use(connection),
    failure: (error: unknown) => new McpToolError("shop", String(error)),
    // All that a call uses of its server.
  } as unknown as McpServer;
  const context = new ToolContext(createInvocation(), { functionCallId: "call-1" });
  const scope = { signal, fetch: () => expect.unreachable() };
  const ended = await callServer({
    ...{ server, tool: "pay", context, scope, resumed: undefined, sample: undefined, answer: undefined, send },
  }).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return { ...ended, asked: Object.keys(context.actions.requestedInputs ?? {}), isOpen: connection.isOpen };
}

const askingError = (): Error => Object.assign(new Error("open the address"), { elicitations: [URL_PARAMS] });

it("asks the user for what the server demands by an error", async () => {
  const outcome = await call(() => Promise.reject(askingError()));
  expect(outcome).toEqual({ result: undefined, asked: ["call-1"], isOpen: true });
});

it("asks nothing if the run was cancelled", async () => {
  const run = new AbortController();
  const outcome = await call(() => {
    run.abort(new Error("cancelled"));
    return Promise.reject(askingError());
  }, run.signal);
  expect(outcome).toMatchObject({ error: expect.any(McpToolError), asked: [] });
});

it("fails with the server's error if that asks nothing", async () => {
  expect(await call(() => Promise.reject(new Error("down")))).toMatchObject({
    error: expect.any(McpToolError),
    asked: [],
  });
});

it("ends after ten rounds of requests that need no user", async () => {
  let rounds = 0;
  const outcome = await call(async () => {
    rounds += 1;
    return { resultType: "input_required", inputRequests: { r: { method: "roots/list" } } };
  });
  expect(outcome).toMatchObject({ error: { message: expect.stringContaining("more than 10 times") }, asked: [] });
  expect(rounds).toBe(10);
});

it.each([
  [20, true],
  [21, false],
])("stores a question with %i requests: %s", async (count, isStored) => {
  const params = { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } } as const;
  const request = { method: "elicitation/create", params } as const;
  const inputRequests = Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, request]));
  const outcome = await call(async () => ({ resultType: "input_required", inputRequests }));
  if (isStored) expect(outcome).toMatchObject({ result: undefined, asked: ["call-1"] });
  else
    expect(outcome).toMatchObject({
      error: { message: expect.stringContaining("more input than can be stored") },
      asked: [],
    });
});
