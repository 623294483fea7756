import { RemoteA2AAgent, type RemoteA2AAgentOptions } from "#kit/a2a/remote/remote-a2a-agent.ts";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { AfterAgentCallback, BeforeAgentCallback } from "#kit/core/callbacks.ts";
import type {
  BaseAgentConfig,
  LlmAgentConfig,
  LoopAgentConfig,
  ParallelAgentConfig,
  RemoteA2AAgentConfig,
  SequentialAgentConfig,
} from "#kit/definitions/yaml/agent-config.ts";
import {
  BASE_AGENT_FIELDS,
  LLM_AGENT_FIELDS,
  LOOP_AGENT_FIELDS,
  REMOTE_A2A_AGENT_FIELDS,
} from "#kit/definitions/yaml/agent-config-fields.ts";
import type { PlannerAgentConfig } from "#kit/definitions/yaml/planner-config.ts";
import { PLANNER_AGENT_FIELDS } from "#kit/definitions/yaml/planner-config-fields.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import type { AgentClass, AgentParts } from "./component-registry.ts";
import { llmReferences } from "./llm-references.ts";
import { functionOf, objectOf } from "./named-instances.ts";
import { plannerOf } from "./planner-of.ts";

export const llmAgent: AgentClass<LlmAgentConfig> = {
  fields: LLM_AGENT_FIELDS,
  check: (config, parts) => void llmReferences(config, parts),
  fromConfig: (config, parts) => {
    const { agentClass, modelCode, model, planner, codeExecutor, inputSchema, outputSchema, ...others } = config;
    const { beforeModelCallbacks, afterModelCallbacks, onModelErrorCallbacks, ...rest } = others;
    const { beforeToolCallbacks, afterToolCallbacks, onToolErrorCallbacks, executor, ...own } = rest;
    const { beforeAgentCallbacks, afterAgentCallbacks, ...plain } = own;
    const options: LlmAgentOptions = {
      ...plain,
      ...baseOptions(config, parts),
      ...llmReferences(config, parts),
      tools: parts.tools,
      beforeModelCallback: parts.callbacks(beforeModelCallbacks),
      afterModelCallback: parts.callbacks(afterModelCallbacks),
      onModelErrorCallback: parts.callbacks(onModelErrorCallbacks),
      beforeToolCallback: parts.callbacks(beforeToolCallbacks),
      afterToolCallback: parts.callbacks(afterToolCallbacks),
      onToolErrorCallback: parts.callbacks(onToolErrorCallbacks),
    };
    return new LlmAgent(options);
  },
};

export const sequentialAgent: AgentClass<SequentialAgentConfig> = {
  fields: BASE_AGENT_FIELDS,
  fromConfig: (config, parts) => new SequentialAgent(baseOptions(config, parts)),
};

export const parallelAgent: AgentClass<ParallelAgentConfig> = {
  fields: BASE_AGENT_FIELDS,
  fromConfig: (config, parts) => new ParallelAgent(baseOptions(config, parts)),
};

export const loopAgent: AgentClass<LoopAgentConfig> = {
  fields: LOOP_AGENT_FIELDS,
  fromConfig: (config, parts) =>
    new LoopAgent({
      ...baseOptions(config, parts),
      maxIterations: config.maxIterations,
    }),
};

export const plannerAgent: AgentClass<PlannerAgentConfig> = {
  fields: PLANNER_AGENT_FIELDS,
  check: (config, parts) => void plannerOf(config, parts),
  fromConfig: (config, parts) => {
    const planner = plannerOf(config, parts);
    // `check` has reported why there is none.
    if (planner === undefined) throw new ConfigurationException(`The planner of "${config.name}" cannot be built.`);
    const { maxIterations } = config;
    return new PlannerAgent({
      ...baseOptions(config, parts),
      planner,
      maxIterations,
    });
  },
};

export const remoteA2aAgent: AgentClass<RemoteA2AAgentConfig> = {
  fields: REMOTE_A2A_AGENT_FIELDS,
  fromConfig: (config, parts) => {
    // Code may name a file. A definition may come from an editor, and must not read the files of the server.
    if (!/^https?:\/\//.test(config.agentCard))
      throw new ConfigurationException(
        `agentCard of "${config.name}" is not an address: a definition names the remote agent by http:// or https://.`,
      );
    const registry = { instance: (name: string) => parts.instances.get(name) };
    const object = (field: "authScheme" | "authCredential" | "signIn") =>
      config[field] === undefined ? undefined : objectOf(field, config[field], registry);
    const { agentCard, headerProvider, credentialKey } = config;
    // The instances are the program's own, which gives what the options say.
    return new RemoteA2AAgent({
      ...baseOptions(config, parts),
      ...{ agentCard, credentialKey },
      ...{ authScheme: object("authScheme"), authCredential: object("authCredential"), signIn: object("signIn") },
      headerProvider: headerProvider === undefined ? undefined : functionOf("headerProvider", headerProvider, registry),
    } as RemoteA2AAgentOptions);
  },
};

function baseOptions({ name, description, ...config }: BaseAgentConfig, parts: AgentParts) {
  return {
    name,
    description,
    subAgents: parts.subAgents,
    beforeAgentCallback: parts.callbacks<BeforeAgentCallback>(config.beforeAgentCallbacks),
    afterAgentCallback: parts.callbacks<AfterAgentCallback>(config.afterAgentCallbacks),
  };
}
