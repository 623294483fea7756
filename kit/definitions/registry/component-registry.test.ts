import { describe, expect, it, onTestFinished } from "vitest";
import { RemoteA2AAgent } from "#kit/a2a/remote/remote-a2a-agent.ts";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { LoadArtifactsTool } from "#kit/tools/load-artifacts-tool.ts";
import { GoogleMapsGroundingTool, GoogleSearchTool, UrlContextTool } from "#kit/tools/model-tools/gemini-tools.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { registerAdditionalComponents } from "./additional-components.ts";
import { type AgentClass, ComponentRegistry } from "./component-registry.ts";
import { componentRegistry, registerCoreComponents } from "./core-components.ts";

const tool = new FunctionTool({ name: "t", description: "", execute: () => 1 });

/** Sorted, like the names of tables. */
function underAdkNames(folder: string, names: readonly string[]): readonly string[] {
  const prefixes = ["", `com.google.adk.${folder}.`, `google.adk.${folder}.`];
  return prefixes.flatMap((prefix) => names.map((name) => prefix + name)).sort();
}

describe("ComponentRegistry", () => {
  it("stores and returns components of each kind by name", () => {
    verifies(
      "definitions:registry:instances",
      "definitions:registry:agent-classes",
      "definitions:registry:tool-classes",
      "definitions:registry:tool-instances",
      "definitions:registry:toolset-classes",
    );
    const registry = new ComponentRegistry();
    const agentClass: AgentClass = { fromConfig: ({ name }) => new LlmAgent({ name }) };
    const toolClass = { fromConfig: () => tool };
    const toolsetClass = { fromConfig: () => ({ getTools: async () => [tool], close: async () => {} }) };
    const callback = () => undefined;
    registry.instances.register("i", 1);
    registry.agentClasses.register("a", agentClass);
    registry.toolClasses.register("c", toolClass);
    registry.toolInstances.register("t", tool);
    registry.toolsetClasses.register("s", toolsetClass);
    registry.callbacks.register("b", callback);
    expect(registry.instances.get("i")).toBe(1);
    expect(registry.agentClasses.get("a")).toBe(agentClass);
    expect(registry.toolClasses.get("c")).toBe(toolClass);
    expect(registry.toolInstances.get("t")).toBe(tool);
    expect(registry.toolsetClasses.get("s")).toBe(toolsetClass);
    expect(registry.callbacks.get("b")).toBe(callback);
    expect(registry.toolInstances.get("a")).toBeUndefined();
  });

  it("adds to its parent, and hides what has the same name", () => {
    const parent = new ComponentRegistry();
    parent.instances.register("a", 1).register("b", 1);
    const child = new ComponentRegistry(parent);
    child.instances.register("b", 2).register("c", 2);
    expect(child.instances.names()).toEqual(["a", "b", "c"]);
    expect([child.instances.get("a"), child.instances.get("b")]).toEqual([1, 2]);
    expect([parent.instances.get("b"), parent.instances.get("c")]).toEqual([1, undefined]);
  });

  it("refuses a blank name", () => {
    const { callbacks } = new ComponentRegistry();
    expect(() => callbacks.register(" ", () => 1)).toThrow(expect.objectContaining({ reason: "INVALID_FIELD" }));
  });
});

describe("core components", () => {
  it("are in one registry that every loader uses unless it is given another", async () => {
    verifies("definitions:registry:singleton");
    componentRegistry.toolInstances.register("only_in_the_default_registry", tool);
    const folder = agentsFolder({
      "shop/root_agent.yaml": "name: shop\ninstruction: x\ntools: [{name: only_in_the_default_registry}]",
    });
    const toolsOf = async (loader: ConfigAgentLoader): Promise<unknown> => {
      onTestFinished(() => loader.close());
      const { app } = await loader.loadAgent("shop");
      return app.rootAgent instanceof LlmAgent && app.rootAgent.tools;
    };
    expect(await toolsOf(new ConfigAgentLoader(folder.path, false))).toEqual([tool]);
    expect(await toolsOf(new ConfigAgentLoader(folder.path, false))).toEqual([tool]);
    const registry = registerCoreComponents(new ComponentRegistry());
    await expect(toolsOf(new ConfigAgentLoader(folder.path, false, { registry }))).rejects.toThrow(
      "only_in_the_default_registry",
    );
  });

  it("are in the one default registry", () => {
    verifies("definitions:registry:providers");
    const own = new ComponentRegistry();
    const namesOf = ({ agentClasses, toolClasses, toolInstances }: ComponentRegistry) =>
      [agentClasses, toolClasses, toolInstances].map((components) => components.names());
    expect(namesOf(own)).toEqual([[], [], []]);
    registerCoreComponents(own);
    registerAdditionalComponents(own);
    expect(own.agentClasses.names()).toContain("LlmAgent");
    for (const [index, names] of namesOf(own).entries())
      expect(namesOf(componentRegistry)[index]).toEqual(expect.arrayContaining([...names]));
  });

  it("are known under the kit's names and those of ADK files", () => {
    verifies(
      "definitions:core-provider:llm-agent",
      "definitions:core-provider:loop-agent",
      "definitions:core-provider:parallel-agent",
      "definitions:core-provider:sequential-agent",
      "definitions:core-provider:agent-tool",
      "definitions:core-provider:long-running-function-tool",
      "definitions:core-provider:example-tool",
      "definitions:core-provider:load-artifacts",
      "definitions:core-provider:exit-loop",
      "definitions:core-provider:url-context",
    );
    const { agentClasses, toolClasses, toolInstances } = registerCoreComponents(new ComponentRegistry());
    expect(agentClasses.names()).toEqual(
      underAdkNames("agents", [
        ...["Agent", "LlmAgent", "LoopAgent", "ParallelAgent", "PlannerAgent", "RemoteA2AAgent", "SequentialAgent"],
      ]),
    );
    expect(toolClasses.names()).toEqual(
      underAdkNames("tools", ["AgentTool", "ExampleTool", "LongRunningFunctionTool"]),
    );
    expect(toolInstances.names()).toEqual(
      underAdkNames("tools", [
        ...["exit_loop", "load_artifacts", "load_memory", "preload_memory", "url_context"],
        ...["load_artifacts_tool", "load_memory_tool", "preload_memory_tool"],
      ]),
    );
    expect(toolInstances.get("exit_loop")).toBeInstanceOf(ExitLoopTool);
    expect(toolInstances.get("load_artifacts")).toBeInstanceOf(LoadArtifactsTool);
    expect(toolInstances.get("url_context")).toBeInstanceOf(UrlContextTool);
    expect(toolClasses.get("AgentTool")).toBe(toolClasses.get("google.adk.tools.AgentTool"));
  });

  it.each([
    ["agentClasses", "agents.llm_agent.LlmAgent", "LlmAgent"],
    ["agentClasses", "agents.llm_agent.Agent", "LlmAgent"],
    ["agentClasses", "agents.loop_agent.LoopAgent", "LoopAgent"],
    ["agentClasses", "agents.parallel_agent.ParallelAgent", "ParallelAgent"],
    ["agentClasses", "agents.sequential_agent.SequentialAgent", "SequentialAgent"],
    ["toolClasses", "tools.agent_tool.AgentTool", "AgentTool"],
    ["toolClasses", "tools.example_tool.ExampleTool", "ExampleTool"],
    ["toolClasses", "tools.long_running_tool.LongRunningFunctionTool", "LongRunningFunctionTool"],
    ["toolClasses", "tools.retrieval.vertex_ai_rag_retrieval.VertexAiRagRetrieval", "VertexAiRagRetrieval"],
    ["toolClasses", "tools.vertex_ai_search_tool.VertexAiSearchTool", "VertexAiSearchTool"],
    ["toolInstances", "tools.enterprise_search_tool.enterprise_web_search_tool", "enterprise_web_search"],
    ["toolInstances", "tools.google_maps_grounding_tool.google_maps_grounding", "google_maps_grounding"],
    ["toolInstances", "tools.google_search_tool.google_search", "google_search"],
    ["toolInstances", "tools.load_artifacts_tool.load_artifacts_tool", "load_artifacts"],
    ["toolInstances", "tools.load_memory_tool.load_memory_tool", "load_memory"],
    ["toolInstances", "tools.preload_memory_tool.preload_memory_tool", "preload_memory"],
    ["toolInstances", "tools.url_context_tool.url_context", "url_context"],
    ["toolInstances", "tools.exit_loop_tool.exit_loop", "exit_loop"],
    ["toolsetClasses", "tools.mcp_tool.mcp_toolset.McpToolset", "McpToolset"],
    ["toolsetClasses", "tools.mcp_tool.mcp_toolset.MCPToolset", "McpToolset"],
    ["toolsetClasses", "tools.openapi_tool.openapi_spec_parser.openapi_toolset.OpenAPIToolset", "OpenAPIToolset"],
    ["toolsetClasses", "tools.computer_use.computer_use_toolset.ComputerUseToolset", "ComputerUseToolset"],
    [
      "toolsetClasses",
      "tools.application_integration_tool.application_integration_toolset.ApplicationIntegrationToolset",
      "ApplicationIntegrationToolset",
    ],
    ["pluginClasses", "plugins.context_filter_plugin.ContextFilterPlugin", "ContextFilterPlugin"],
    ["pluginClasses", "plugins.logging_plugin.LoggingPlugin", "LoggingPlugin"],
    ["pluginClasses", "plugins.reflect_retry_tool_plugin.ReflectAndRetryToolPlugin", "ReflectAndRetryToolPlugin"],
    ["instances", "planners.plan_re_act_planner.PlanReActPlanner", "PlanReActPlanner"],
    ["instances", "code_executors.built_in_code_executor.BuiltInCodeExecutor", "BuiltInCodeExecutor"],
  ] as const)("have the names of ADK's modules for Python: %s, %s", (kind, name, own) => {
    verifies("definitions:registry:module-names");
    expect(componentRegistry[kind].get(`google.adk.${name}`)).toBe(componentRegistry[kind].get(own));
    expect(componentRegistry[kind].get(own)).toBeDefined();
    for (const wrong of [`google.adk.${name}Other`, `other.adk.${name}`, `google.adk.${name}.`])
      expect(componentRegistry[kind].get(wrong)).toBeUndefined();
  });

  it("have the tools of models beside them", () => {
    verifies("definitions:additional-provider:search", "definitions:additional-provider:maps");
    const { toolClasses, toolInstances } = registerAdditionalComponents(new ComponentRegistry());
    expect(toolInstances.names()).toEqual(
      underAdkNames("tools", [
        ...["code_execution", "enterprise_web_search", "enterprise_web_search_tool"],
        ...["google_maps_grounding", "google_search"],
      ]),
    );
    expect(toolClasses.names()).toEqual(underAdkNames("tools", ["VertexAiRagRetrieval", "VertexAiSearchTool"]));
    expect(toolInstances.get("google_search")).toBeInstanceOf(GoogleSearchTool);
    expect(toolInstances.get("google_maps_grounding")).toBeInstanceOf(GoogleMapsGroundingTool);
    expect(componentRegistry.toolInstances.get("google_search")).toBeInstanceOf(GoogleSearchTool);
  });
});

async function loadRemote(agentCard: string, more = ""): Promise<unknown> {
  const text = `agentClass: RemoteA2AAgent\nname: primes\nagentCard: ${JSON.stringify(agentCard)}\n${more}`;
  const folder = agentsFolder({ "primes/root_agent.yaml": text });
  const registry = registerCoreComponents(new ComponentRegistry());
  registry.instances.register("users", { clientId: "cid" });
  return (await new ConfigAgentLoader(folder.path, false, { registry }).loadAgent("primes")).app.rootAgent;
}

it("a definition names the credentials of a remote agent, which the program has", async () => {
  const agent = await loadRemote("https://primes.example.com", "signIn: users\n");
  expect(agent instanceof RemoteA2AAgent && agent.auth.signIn).toEqual({ clientId: "cid" });
  await expect(loadRemote("https://primes.example.com", "signIn: others\n")).rejects.toThrow(/no object "others"/);
  await expect(loadRemote("https://primes.example.com", "headerProvider: users\n")).rejects.toThrow(
    /no function "users"/,
  );
});

it("a definition names a remote agent by an address", async () => {
  expect(await loadRemote("https://primes.example.com")).toBeInstanceOf(RemoteA2AAgent);
});

it.each(["card.json", "/etc/passwd", "../secrets.json", "file:///etc/passwd", " https://a.example"])(
  "a definition cannot have the server read the file %j",
  async (path) => {
    await expect(loadRemote(path)).rejects.toThrow(/agentCard/);
  },
);
