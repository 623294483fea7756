import { expect, it } from "vitest";
import { createOutboundAccess } from "#kit/addresses/outbound-access.ts";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
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
