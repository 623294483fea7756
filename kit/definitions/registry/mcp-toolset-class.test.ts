import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { startSessionServer } from "#test/helpers/mcp/session-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { registerAdditionalComponents } from "./additional-components.ts";
import { ComponentRegistry } from "./component-registry.ts";
import { registerCoreComponents } from "./core-components.ts";

async function load(args: JsonObject, name = "McpToolset"): Promise<LlmAgent> {
  const root = `name: shop\nmodel: demo/chat\ninstruction: x\ntools:\n  - name: ${name}\n    args: ${JSON.stringify(args)}\n`;
  const folder = agentsFolder({ "shop/root_agent.yaml": root });
  const registry = registerAdditionalComponents(registerCoreComponents(new ComponentRegistry()));
  registry.instances.register("user_headers", () => ({ authorization: "Bearer a" }));
  const loader = new ConfigAgentLoader(folder.path, false, { registry });
  const { rootAgent } = (await loader.loadAgent("shop")).app;
  return rootAgent instanceof LlmAgent ? rootAgent : expect.unreachable();
}

it.each(["McpToolset", "MCPToolset", "google.adk.tools.McpToolset", "com.google.adk.tools.McpAsyncToolset"])(
  "makes a toolset of ADK's arguments as %s",
  async (name) => {
    verifies("definitions:additional-provider:mcp");
    const add = { name: "add", inputSchema: { type: "object" } };
    await using server = await startModernServer({ tools: [add, { ...add, name: "other" }] });
    const agent = await load(
      {
        streamable_http_connection_params: {
          url: server.url,
          headers: { "x-app": "shop" },
          timeout: 3,
          sse_read_timeout: 4,
        },
        ...{ tool_filter: ["add"], tool_name_prefix: "math", header_provider: "user_headers" },
      },
      name,
    );
    expect(agent.tools[0]).toBeInstanceOf(McpToolset);
    await using outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
    const world = await createAgentWorld(agent, { outbound });
    await world.run("hi");
    await world.runner.close();
    expect(server.received.find(({ method }) => method === "tools/list")?.headers).toMatchObject({
      "x-app": "shop",
      authorization: "Bearer a",
    });
  },
);

it.each([
  ["for the given seconds", { tool_list_cache_ttl_seconds: 90 }, 1],
  ["for a minute by default", {}, 2],
  ["not at all with 0", { tool_list_cache_ttl_seconds: 0 }, 3],
])("keeps the list of tools %s", async (_title, cache, lists) => {
  // Lists of its version of the protocol have no time of their own.
  await using server = await startSessionServer(() => ({}));
  const agent = await load({ streamable_http_connection_params: { url: server.url }, ...cache });
  await using outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
  const world = await createAgentWorld(agent, { outbound });
  await world.run("first");
  await world.run("second");
  world.clock.advance(89_000);
  await world.run("third");
  await world.runner.close();
  expect(server.lists()).toBe(lists);
});

it.each([
  [{}, "there should be one of"],
  [{ sse_connection_params: { url: "http://a" }, stdio_server_params: { command: "x" } }, "there should be one of"],
  [{ stdio_server_params: { args: ["x"] } }, '"stdioConnectionParams.serverParams.command" is missing'],
  [{ sse_connection_params: { url: "ftp://a" } }, "connectionParams.url must be an address"],
  [
    { sse_connection_params: { url: "http://a", password: "x" } },
    '"sseConnectionParams.password" is not a known member',
  ],
  [{ sse_connection_params: { url: "http://a" }, header_provider: "none" }, 'no function "none" is registered'],
])("refuses the arguments %j", async (args, problem) => {
  await expect(load(args)).rejects.toThrow(problem);
});

it.each([
  ["opening a connection", { timeout: 0.05, sse_read_timeout: 30 }, "server/discover"],
  ["a request", { timeout: 30, sse_read_timeout: 0.05 }, "tools/list"],
])("has the time limit of %s in seconds", async (_title, limits, unanswered) => {
  // A server that answers until it gets this method.
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    if (method === unanswered) return;
    const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0 };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const agent = await load({ streamable_http_connection_params: { url, ...limits } });
  await using outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
  const world = await createAgentWorld(agent, { outbound });
  const started = performance.now();
  await expect(world.run("hi")).rejects.toThrow();
  expect(performance.now() - started).toBeLessThan(20_000);
  await world.runner.close();
});
