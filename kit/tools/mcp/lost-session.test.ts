import { describe, expect, it } from "vitest";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { type Refusal, startSessionServer } from "#test/helpers/mcp/session-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import type { McpConnectionParams } from "./connection-params.ts";
import { McpToolset } from "./mcp-toolset.ts";

const call = functionCallResponse("add", {});

async function createWorld(url: string, limits: Pick<McpConnectionParams, "readTimeoutMs"> = {}) {
  const connectionParams = { kind: "streamable-http", url, ...limits } as const;
  const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init) });
  const steps = Array.from({ length: 4 }, () => [call, "Done."]).flat();
  const world = await createAgentWorld(new LlmAgent({ name: "a", model: new ScriptedModel(steps), tools: [toolset] }));
  const turn = async (): Promise<string> =>
    JSON.stringify((await world.run("add")).flatMap(functionResponses).map(({ response }) => response));
  return { turn, [Symbol.asyncDispose]: () => world.runner.close() };
}

const error = (code: number, message: string) => ({ code, message });

/** What servers answer to a session that they do not know; the protocol demands the status 404. */
const REFUSALS: readonly (readonly [server: string, refusal: Refusal])[] = [
  ["the protocol", { status: 404 }],
  ["the SDK for Python", { status: 404, body: error(-32_600, "Session not found") }],
  ["the SDK for Python, ended", { status: 404, body: error(-32_600, "Not Found: Session has been terminated") }],
  ["the SDK for Python, earlier", { status: 400, body: error(-32_600, "Bad Request: No valid session ID provided") }],
  ["the SDK for Python, without", { status: 400, body: error(-32_600, "Bad Request: Missing session ID") }],
  ["the SDK for TypeScript", { status: 404, body: error(-32_001, "Session not found") }],
  ["its examples", { status: 400, body: error(-32_000, "Bad Request: No valid session ID provided") }],
  ["a transport before the handshake", { status: 400, body: error(-32_000, "Bad Request: Server not initialized") }],
  ["the SDK for Go", { status: 404, body: "session not found" }],
  ["mcp-go", { status: 400, body: "Invalid session ID" }],
  ["the SDK for C#", { status: 404, body: error(-32_001, "Session not found") }],
  ["the SDK for Java", { status: 400, body: error(-32_603, "Session ID required in mcp-session-id header") }],
  ["the SDK for Rust, earlier", { status: 401, body: "Unauthorized: Session not found" }],
  ["the SDK for Rust, without", { status: 422, body: "Unexpected message, expect initialize request" }],
  ["a gateway", { status: 410, body: "gone" }],
  ["a proxy without the route", { status: 404, body: "<html><body>404 page not found</body></html>" }],
  ["an expired session", { status: 400, body: { code: -32_000, message: "Your session expired. Reconnect." } }],
  ["an error in an answer", { status: 200, body: error(-32_001, "Session not found") }],
  ["an error in an answer, as wrong request", { status: 200, body: error(-32_600, "Unknown session id") }],
  ["an error in an answer, not initialized", { status: 200, body: error(-32_002, "Server not initialized") }],
  ["wrong parameters", { status: 200, body: error(-32_602, "Received request before initialization was complete") }],
];

/** The server may have begun the call: it is not repeated, and the next one has a new session. */
const FAILURES: readonly (readonly [problem: string, refusal: Refusal])[] = [
  ["status 500", { status: 500, body: "Internal Server Error" }],
  ["status 502", { status: 502, body: "<html>Bad Gateway</html>" }],
  ["status 503", { status: 503 }],
  ["status 500 that names the session", { status: 500, body: error(-32_603, "KeyError: unknown session") }],
  ["an internal error that names the session", { status: 200, body: error(-32_603, "Session not found") }],
  ["wrong parameters, as the SDK for Python says", { status: 200, body: error(-32_602, "Invalid request parameters") }],
  ["an answer that is not JSON", { status: 200, body: "ok" }],
  ["no answer", {}],
];

describe("a session that the server no longer knows", () => {
  it.each(REFUSALS)("is opened again, and the call is sent again: %s", async (_, refusal) => {
    verifies("tools:mcp:lost-session");
    await using server = await startSessionServer(() => refusal);
    await using used = await createWorld(server.url);
    expect(await used.turn()).toContain("call 1");
    server.restart();
    expect(await used.turn()).toContain("call 2");
    expect(await used.turn()).toContain("call 3");
    expect([server.handshakes(), server.calls()]).toEqual([2, 3]);
  });

  it.each(FAILURES)("is not used again after %s", async (_, refusal) => {
    await using server = await startSessionServer(() => refusal);
    await using used = await createWorld(server.url, { readTimeoutMs: 300 });
    expect(await used.turn()).toContain("call 1");
    server.restart();
    expect(await used.turn()).toContain("error");
    expect(await used.turn()).toContain("call 2");
    expect([server.handshakes(), server.calls()]).toEqual([2, 2]);
  });

  it("is opened again once for each call, if the server forgets every session", async () => {
    await using server = await startSessionServer(() => ({ status: 404, body: "Session not found" }));
    await using used = await createWorld(server.url);
    await used.turn();
    server.forgetCalls();
    expect(await used.turn()).toContain("error");
    // One for the first call, one to repeat the second, and one for the list that the next step reads.
    expect(server.handshakes()).toBe(3);
  });

  it("replaces all connections of the identity that were open", async () => {
    await using server = await startSessionServer(() => ({ status: 404 }));
    const connectionParams = { kind: "streamable-http", url: server.url } as const;
    const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init) });
    const three = {
      content: {
        role: "model" as const,
        parts: ["1", "2", "3"].map((id) => ({ functionCall: { id, name: "add", args: {} } })),
      },
    };
    const model = new ScriptedModel([three, "Done.", three, "Done."]);
    const world = await createAgentWorld(new LlmAgent({ name: "a", model, tools: [toolset] }));
    await world.run("add");
    server.restart();
    await world.run("add");
    expect([server.calls(), toolset.openConnections]).toEqual([6, 3]);
    await world.runner.close();
  });
});
