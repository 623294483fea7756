import type { AfterAgentCallback, BeforeAgentCallback } from "../agents/callbacks.ts";
import { LlmAgent, type LlmAgentOptions } from "../agents/llm-agent.ts";
import { SequentialAgent } from "../agents/sequential-agent.ts";
import { ConfigurationException } from "../errors/kit-errors.ts";
import { defaultModelRegistry } from "../models/model-registry.ts";
import { LongRunningFunctionTool } from "../tools/long-running-function-tool.ts";
import type { BaseAgentConfig, LlmAgentConfig, SequentialAgentConfig } from "./agent-config.ts";
import { BASE_AGENT_FIELDS, LLM_AGENT_FIELDS } from "./agent-config-fields.ts";
import { type AgentClass, type AgentParts, ComponentRegistry, type ToolClass } from "./component-registry.ts";

const llmAgent: AgentClass<LlmAgentConfig> = {
  fields: LLM_AGENT_FIELDS,
  fromConfig: (config, parts) => {
    const { agentClass, beforeModelCallbacks, afterModelCallbacks, beforeToolCallbacks, afterToolCallbacks, ...rest } =
      config;
    // An unknown name is told to the file's author now, and not to the first user.
    if (config.model !== undefined) defaultModelRegistry.resolve(config.model);
    const options: LlmAgentOptions = {
      ...rest,
      ...baseOptions(config, parts),
      tools: parts.tools,
      beforeModelCallback: parts.callbacks(beforeModelCallbacks),
      afterModelCallback: parts.callbacks(afterModelCallbacks),
      beforeToolCallback: parts.callbacks(beforeToolCallbacks),
      afterToolCallback: parts.callbacks(afterToolCallbacks),
    };
    return new LlmAgent(options);
  },
};

const sequentialAgent: AgentClass<SequentialAgentConfig> = {
  fields: BASE_AGENT_FIELDS,
  fromConfig: (config, parts) => new SequentialAgent(baseOptions(config, parts)),
};

/** `func` names a tool of the registry, which is told to answer later. */
const longRunningFunctionTool: ToolClass = {
  fromConfig: (args, parts) => {
    const func = args.getOrEmpty("func", "string");
    const tool = func === undefined ? undefined : parts.tool(func);
    if (tool === undefined) throw new ConfigurationException('"func" should name a tool of the component registry.');
    const { name, description } = tool;
    const parameters = tool.getDeclaration()?.parameters;
    return new LongRunningFunctionTool({
      name,
      description,
      ...(parameters !== undefined && { parameters }),
      execute: (values, context) => tool.runAsync(values, context),
    });
  },
};

/** Registers what the kit itself has, under its own names and those that ADK files use. */
export function registerCoreComponents(registry: ComponentRegistry): ComponentRegistry {
  for (const prefix of ["", "google.adk.agents.", "com.google.adk.agents."]) {
    registry.agentClasses.register(`${prefix}LlmAgent`, llmAgent).register(`${prefix}SequentialAgent`, sequentialAgent);
  }
  for (const prefix of ["", "google.adk.tools.", "com.google.adk.tools."])
    registry.toolClasses.register(`${prefix}LongRunningFunctionTool`, longRunningFunctionTool);
  return registry;
}

/** The registry that loaders use unless they are given another. */
export const componentRegistry = registerCoreComponents(new ComponentRegistry());

function baseOptions({ name, description, ...config }: BaseAgentConfig, parts: AgentParts) {
  return {
    name,
    ...(description !== undefined && { description }),
    subAgents: parts.subAgents,
    beforeAgentCallback: parts.callbacks<BeforeAgentCallback>(config.beforeAgentCallbacks),
    afterAgentCallback: parts.callbacks<AfterAgentCallback>(config.afterAgentCallbacks),
  };
}
