import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { describe, expect, it } from "vitest";
import { functionResponses } from "#kit/events/event.ts";
import { type McpConnectionParams, McpToolset } from "#kit/index.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** A server of the protocol's SDK with sessions in memory, on the port if one is given. */
async function startSdkServer(kind: "sse" | "streamable-http", port = 0) {
  const transports = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>();
  const connected = async (transport: StreamableHTTPServerTransport | SSEServerTransport): Promise<void> => {
    const mcp = new McpServer({ name: "sdk", version: "1" });
    mcp.registerTool("add", { description: "Adds." }, () => ({ content: [{ type: "text", text: "added" }] }));
    await mcp.connect(transport as never);
  };
  const server: Server = createServer(async (request, response) => {
    const id =
      new URL(request.url ?? "", "http://a").searchParams.get("sessionId") ?? request.headers["mcp-session-id"];
    const known = transports.get(String(id));
    if (known instanceof StreamableHTTPServerTransport) await known.handleRequest(request, response);
    else if (known !== undefined) await known.handlePostMessage(request, response);
    else if (kind === "sse" && request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      await connected(transport);
    } else if (kind === "sse" || id !== undefined)
      // As the SDK's example answers.
      response.writeHead(kind === "sse" ? 400 : 404).end("No transport found for sessionId");
    else {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (sessionId) => void transports.set(sessionId, transport),
      });
      await connected(transport);
      await transport.handleRequest(request, response);
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has such an address.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/${kind === "sse" ? "sse" : "mcp"}`,
    port: address.port,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      // Sockets that this process keeps for later requests are closed too, as in the time that a restart takes.
      await fetch(`http://127.0.0.1:${address.port}/`).catch(() => undefined);
    },
  };
}

async function createWorld(connectionParams: McpConnectionParams) {
  const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init) });
  const steps = Array.from({ length: 5 }, () => [functionCallResponse("add", {}), "Done."]).flat();
  const world = await createAgentWorld(new LlmAgent({ name: "a", model: new ScriptedModel(steps), tools: [toolset] }));
  const turn = async (): Promise<string> =>
    JSON.stringify((await world.run("add")).flatMap(functionResponses).map(({ response }) => response));
  return { turn, [Symbol.asyncDispose]: () => world.runner.close() };
}

const ADDED = '[{"content":[{"type":"text","text":"added"}]}]';

describe("a server of the protocol's SDK that is restarted in a conversation", () => {
  it("continues over streamable HTTP with the next call", async () => {
    verifies("tools:mcp:lost-session");
    const first = await startSdkServer("streamable-http");
    await using used = await createWorld({ kind: "streamable-http", url: first.url });
    expect(await used.turn()).toBe(ADDED);
    await first.stop();
    const second = await startSdkServer("streamable-http", first.port);
    expect([await used.turn(), await used.turn()]).toEqual([ADDED, ADDED]);
    await second.stop();
  });

  it("continues over server-sent events, whose stream the SDK opens again without a handshake", async () => {
    verifies("tools:mcp:lost-session");
    const first = await startSdkServer("sse");
    await using used = await createWorld({ kind: "sse", url: first.url });
    expect(await used.turn()).toBe(ADDED);
    await first.stop();
    const second = await startSdkServer("sse", first.port);
    expect([await used.turn(), await used.turn()]).toEqual([ADDED, ADDED]);
    await second.stop();
  });

  it("is used by its new protocol, if an upgrade has replaced the server within the time of what is known", async () => {
    const first = await startSdkServer("streamable-http");
    await using used = await createWorld({ kind: "streamable-http", url: first.url });
    expect(await used.turn()).toBe(ADDED);
    await first.stop();
    const tools = [{ name: "add", inputSchema: { type: "object" } }];
    const call = () => ({ content: [{ type: "text", text: "added" }] });
    await using second = await startModernServer({ tools, call, port: first.port });
    // The first request tells that the server is another one; whether it had an effect is not known.
    await used.turn();
    expect(await used.turn()).toBe(ADDED);
    expect(second.count("tools/call")).toBeGreaterThan(0);
  });

  it("is used by its earlier protocol, if it was replaced by an earlier version", async () => {
    const tools = [{ name: "add", inputSchema: { type: "object" } }];
    const call = () => ({ content: [{ type: "text", text: "added" }] });
    let port = 0;
    let used: Awaited<ReturnType<typeof createWorld>>;
    {
      await using first = await startModernServer({ tools, call });
      port = Number(new URL(first.url).port);
      used = await createWorld({ kind: "streamable-http", url: first.url });
      expect(await used.turn()).toBe(ADDED);
    }
    const second = await startSdkServer("streamable-http", port);
    await used.turn();
    expect(await used.turn()).toBe(ADDED);
    await used[Symbol.asyncDispose]();
    await second.stop();
  });
});
