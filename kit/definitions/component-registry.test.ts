import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { LlmAgent } from "../agents/llm-agent.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { type AgentClass, ComponentRegistry } from "./component-registry.ts";
import { componentRegistry, registerCoreComponents } from "./core-components.ts";

const tool = new FunctionTool({ name: "t", description: "", execute: () => 1 });

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
  it("are in the one default registry", () => {
    verifies("definitions:registry:singleton", "definitions:registry:providers");
    const own = registerCoreComponents(new ComponentRegistry());
    expect(componentRegistry.agentClasses.names()).toEqual(own.agentClasses.names());
  });

  it("are known under the kit's names and those of ADK files", () => {
    verifies(
      "definitions:core-provider:llm-agent",
      "definitions:core-provider:sequential-agent",
      "definitions:core-provider:long-running-function-tool",
    );
    const { agentClasses, toolClasses } = componentRegistry;
    expect(agentClasses.names()).toEqual([
      "LlmAgent",
      "SequentialAgent",
      "com.google.adk.agents.LlmAgent",
      "com.google.adk.agents.SequentialAgent",
      "google.adk.agents.LlmAgent",
      "google.adk.agents.SequentialAgent",
    ]);
    expect(toolClasses.get("LongRunningFunctionTool")).toBe(
      toolClasses.get("google.adk.tools.LongRunningFunctionTool"),
    );
  });
});
