import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { answer, responsesOf } from "#test/helpers/worlds/pay-world.ts";
import { McpToolset } from "./mcp-toolset.ts";

const ADD = { name: "add", description: "Adds.", inputSchema: { type: "object" } };
const call = functionCallResponse("add", {}, "call-1");
const TOKEN = "user-token-1";

/** An agent with the server's tools, whose requests have the token as a header. */
async function createWorld(url: string) {
  const toolset = new McpToolset({
    connectionParams: { kind: "streamable-http", url },
    headerProvider: () => ({ authorization: `Custom ${TOKEN}`, "x-region": "north-west" }),
    fetch: (input, init) => fetch(input, init),
  });
  return createAgentWorld(new LlmAgent({ name: "clerk", model: new ScriptedModel([call, "Done."]), tools: [toolset] }));
}

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("an MCP server that quotes the credential of a header provider", () => {
  it("gives the model results without it", async () => {
    verifies("tools:mcp:quoted-credentials");
    await using server = await startModernServer({
      tools: [ADD],
      call: ({ headers }) => ({
        isError: true,
        content: [{ type: "text", text: `refused: ${headers.authorization} ${headers["x-region"]}` }],
        structuredContent: { seen: { token: TOKEN, [TOKEN]: 1 } },
      }),
    });
    const world = await createWorld(server.url);
    const [, response] = await world.run("add");
    expect(responsesOf(response)).toEqual([
      {
        isError: true,
        content: [{ type: "text", text: "refused: [redacted] north-west" }],
        structuredContent: { seen: { token: "[redacted]", "[redacted]": 1 } },
      },
    ]);
    await world.runner.close();
  });

  it("asks the user without it, and gets back the state of its question as it was", async () => {
    verifies("tools:mcp:quoted-credentials");
    const requestState = `state with ${TOKEN}`;
    const params = {
      mode: "form",
      message: `Why does ${TOKEN} call?`,
      requestedSchema: { type: "object", properties: { why: { type: "string" } } },
    };
    await using server = await startModernServer({
      tools: [ADD],
      call: ({ params: sent }): JsonObject =>
        sent["inputResponses"] === undefined
          ? {
              resultType: "input_required",
              inputRequests: { why: { method: "elicitation/create", params } },
              requestState,
            }
          : { content: [{ type: "text", text: "well" }] },
    });
    const world = await createWorld(server.url);
    const question = (await world.run("add"))
      .flatMap(functionCalls)
      .findLast(({ name }) => name === "adk_request_input");
    if (question === undefined) throw new Error("no question was asked");
    expect(JSON.stringify(question)).toContain("Why does [redacted] call?");
    await world.run(answer(question, { action: "accept", content: { why: "x" } }, "adk_request_input"));
    expect(server.received.findLast(({ method }) => method === "tools/call")?.params["requestState"]).toBe(
      requestState,
    );
    await world.runner.close();
  });

  it("fails the run without it in the error and its cause", async () => {
    verifies("tools:mcp:quoted-credentials");
    await using server = await startServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString("utf8"));
      if (method === "initialize")
        return void response.writeHead(500).end(`no access for ${request.headers.authorization}`);
      const error = { code: -32601, message: "Method not found" };
      const text = JSON.stringify({ jsonrpc: "2.0", id, error });
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    });
    const world = await createWorld(server.url);
    const error = await world.run("add").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      reason: "MCP_SESSION_INITIALIZATION",
      message: expect.stringContaining("no access for [redacted]"),
    });
    expect(inspect(error, { depth: 10 })).not.toContain(TOKEN);
    await world.runner.close();
  });
});

describe("an MCP server that quotes another credential", () => {
  it.each([
    ["of an OAuthClientProvider", { authProvider: () => providerOf("opaque.token+1") }, "", "opaque.token+1"],
    ["in the query of its address", {}, "?tavilyApiKey=opaque-key-1&region=north-west", "opaque-key-1"],
  ])("%s gives the model results without it", async (_, options, query, secret) => {
    verifies("tools:mcp:quoted-credentials");
    await using server = await startModernServer({
      tools: [ADD],
      call: ({ headers }) => ({ content: [{ type: "text", text: `${secret} ${headers.authorization} north-west` }] }),
    });
    const toolset = new McpToolset({
      connectionParams: { kind: "streamable-http", url: server.url + query },
      fetch: (input, init) => fetch(input, init),
      ...options,
    });
    const agent = new LlmAgent({ name: "clerk", model: new ScriptedModel([call, "Done."]), tools: [toolset] });
    const world = await createAgentWorld(agent);
    const [, response] = await world.run("add");
    expect(JSON.stringify(responsesOf(response))).toMatch(/"\[redacted\] .* north-west"/);
    expect(JSON.stringify(await world.session())).not.toContain(secret);
    await world.runner.close();
  });

  it("in the arguments of its program leaves it out of the log", async () => {
    verifies("tools:mcp:quoted-credentials");
    const script = "console.error('bad arguments:', ...process.argv.slice(1)); process.exit(1)";
    const logger = new RecordingLogger();
    const args = ["-e", script, "--", "--api-key", "opaque-key-1", "--token=opaque-token-1", "north-west"];
    const toolset = new McpToolset({ connectionParams: { kind: "stdio", command: process.execPath, args } });
    const agent = new LlmAgent({ name: "clerk", model: new ScriptedModel(["Done."]), tools: [toolset] });
    const world = await createAgentWorld(agent, { logger });
    await expect(world.run("add")).rejects.toThrow("its process ended with code 1.");
    const lines = logger.lines.filter(({ message }) => message === "MCP server not started");
    expect(lines.map(({ fields }) => fields["output"])).toEqual([
      "bad arguments: --api-key [redacted] --token=[redacted] north-west",
    ]);
    await world.runner.close();
  });
});

/** A user who has signed in already. */
function providerOf(token: string): object {
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => undefined,
    tokens: () => ({ access_token: token, token_type: "Bearer" }),
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => "",
  };
}
