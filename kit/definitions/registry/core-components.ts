import { BuiltInCodeExecutor } from "#kit/code-executors/built-in-code-executor.ts";
import { TOOL_PREFIXES } from "#kit/definitions/yaml/tool-prefixes.ts";
import { PlanReActPlanner } from "#kit/llm-agent/planners/plan-re-act-planner.ts";
import { AStarSearchStrategy } from "#kit/planners/goal-oriented/a-star-search-strategy.ts";
import { DfsSearchStrategy } from "#kit/planners/goal-oriented/dfs-search-strategy.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { LoadArtifactsTool } from "#kit/tools/load-artifacts-tool.ts";
import { LoadMemoryTool } from "#kit/tools/load-memory-tool.ts";
import { UrlContextTool } from "#kit/tools/model-tools/gemini-tools.ts";
import { PreloadMemoryTool } from "#kit/tools/preload-memory-tool.ts";
import { registerAdditionalComponents } from "./additional-components.ts";
import { llmAgent, loopAgent, parallelAgent, plannerAgent, remoteA2aAgent, sequentialAgent } from "./agent-classes.ts";
import { ComponentRegistry } from "./component-registry.ts";
import { PLANNER_CLASSES } from "./planner-classes.ts";
import { PLUGIN_CLASSES } from "./plugin-classes.ts";
import { agentTool, exampleTool, longRunningFunctionTool } from "./tool-classes.ts";
import { computerUseToolset } from "./toolset-classes.ts";

/** Registers the kit's own components, under their own names and those in ADK files. */
export function registerCoreComponents(registry: ComponentRegistry): ComponentRegistry {
  const { agentClasses, instances: named, plannerClasses, pluginClasses } = registry;
  const { toolClasses, toolInstances, toolsetClasses } = registry;
  named.register("PlanReActPlanner", new PlanReActPlanner()).register("BuiltInCodeExecutor", new BuiltInCodeExecutor());
  named
    .register("DfsSearchStrategy", new DfsSearchStrategy())
    .register("AStarSearchStrategy", new AStarSearchStrategy());
  for (const [name, plannerClass] of Object.entries(PLANNER_CLASSES)) plannerClasses.register(name, plannerClass);
  for (const prefix of ["", "google.adk.agents.", "com.google.adk.agents."]) {
    agentClasses
      .register(`${prefix}LlmAgent`, llmAgent)
      .register(`${prefix}Agent`, llmAgent)
      .register(`${prefix}SequentialAgent`, sequentialAgent)
      .register(`${prefix}ParallelAgent`, parallelAgent)
      .register(`${prefix}LoopAgent`, loopAgent)
      .register(`${prefix}PlannerAgent`, plannerAgent)
      .register(`${prefix}RemoteA2AAgent`, remoteA2aAgent);
  }
  const [load, memory, preload] = [new LoadArtifactsTool(), new LoadMemoryTool(), new PreloadMemoryTool()];
  const instances = [load, new ExitLoopTool(), new UrlContextTool(), memory, preload];
  for (const prefix of TOOL_PREFIXES) {
    toolClasses
      .register(`${prefix}AgentTool`, agentTool)
      .register(`${prefix}LongRunningFunctionTool`, longRunningFunctionTool)
      .register(`${prefix}ExampleTool`, exampleTool);
    toolsetClasses.register(`${prefix}ComputerUseToolset`, computerUseToolset);
    for (const tool of instances) toolInstances.register(prefix + tool.name, tool);
    // ADK's modules name the same instances so.
    for (const tool of [load, memory, preload]) toolInstances.register(`${prefix}${tool.name}_tool`, tool);
  }
  for (const prefix of ["", "google.adk.plugins.", "com.google.adk.plugins."])
    for (const [name, pluginClass] of Object.entries(PLUGIN_CLASSES))
      pluginClasses.register(prefix + name, pluginClass);
  return registry;
}

/** The default registry of loaders. */
export const componentRegistry = registerAdditionalComponents(registerCoreComponents(new ComponentRegistry()));
