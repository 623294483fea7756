import { InstructionTemplates } from "#kit/core/instruction.ts";
import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type {
  AgentRefConfig,
  BaseAgentConfig,
  CallbackRef,
  ExecutorConfig,
  InstanceRef,
  LlmAgentConfig,
  LoopAgentConfig,
  ToolConfig,
} from "./agent-config.ts";
import type { ConfigFields } from "./config-field.ts";
import { flag, freeMap, integer, listOf, oneOf, record, required, text } from "./config-fields.ts";
import { GENERATE_CONTENT_FIELDS } from "./model-config-fields.ts";
import { ToolArgsConfig } from "./tool-args-config.ts";

const agentRef = record<AgentRefConfig>(
  "Another agent: by the file of its definition, or by its name in the component registry.",
  {
    configPath: text("Path of its file, relative to this one and inside the app's folder."),
    code: text("Its name in the component registry."),
  },
  ({ configPath, code }) => {
    if (configPath !== undefined && code !== undefined) return 'Give either "configPath" or "code", not both.';
    return configPath === undefined && code === undefined ? 'Give "configPath" or "code".' : undefined;
  },
);

const callbackRef = record<CallbackRef>("A callback.", { name: required(text("Its name in the component registry.")) });

/** A component by its name, with arguments of its own. */
export function registered(args: string): ConfigFields<ToolConfig> {
  const values = freeMap(args);
  return {
    name: required(text("Its name in the component registry.")),
    args: {
      schema: values.schema,
      read: (node, reading) => {
        const read = values.read(node, reading);
        return read === undefined ? undefined : new ToolArgsConfig(read);
      },
    },
  };
}

const tool = record<ToolConfig>("A tool.", registered("Arguments for the tool; which, the tool says."));

const executor = record<ExecutorConfig>(
  "How many tool calls of the agent run at once, over all runs; others wait in order.",
  {
    maxConcurrent: integer("Most calls at once.", 1),
    name: text("In its place, the name of an executor in the component registry, which agents may share."),
  },
  ({ maxConcurrent, name }) => {
    if (maxConcurrent !== undefined && name !== undefined) return 'Give either "maxConcurrent" or "name", not both.';
    return maxConcurrent === undefined && name === undefined ? 'Give "maxConcurrent" or "name".' : undefined;
  },
);

export const instanceRef = (description: string) =>
  record<InstanceRef>(description, { name: required(text("Its name in the component registry.")) });

const callbacks = (when: string) => listOf(`Callbacks that run ${when}, in this order.`, callbackRef);

export const BASE_AGENT_FIELDS: ConfigFields<BaseAgentConfig> = {
  agentClass: text(
    "Kind of the agent: LlmAgent (when left out), SequentialAgent, ParallelAgent, LoopAgent, or one of the component registry.",
  ),
  name: required(text("An identifier, unique within the tree of agents.")),
  description: text("Tells other agents what this one is for."),
  subAgents: listOf("Agents below this one.", agentRef),
  beforeAgentCallbacks: callbacks("before the agent"),
  afterAgentCallbacks: callbacks("after the agent"),
};

export const LOOP_AGENT_FIELDS: ConfigFields<LoopAgentConfig> = {
  ...BASE_AGENT_FIELDS,
  maxIterations: integer("Passes over the sub-agents; when left out, until one of them leaves the loop.", 0),
};

export const LLM_AGENT_FIELDS: ConfigFields<LlmAgentConfig> = {
  ...BASE_AGENT_FIELDS,
  model: text("Name of a model; when left out, that of the nearest agent above."),
  modelCode: instanceRef("A model in place of a name."),
  instruction: required(
    text("What the model is told to do. {key} is filled from the state, {artifact.name} from a file."),
  ),
  globalInstruction: text("Told to every agent of the tree; only the root's counts."),
  staticInstruction: text(
    "Told as it is, the same on every turn, so that models can cache it; the instruction follows it.",
  ),
  instructionTemplates: oneOf(
    "What becomes of {key} in instructions: filled, filled or refused, left as it is.",
    Object.values(InstructionTemplates),
  ),
  includeContents: oneOf("How much of the conversation the model is told.", Object.values(IncludeContents)),
  inputSchema: freeMap(
    "JSON Schema of the input, when the agent serves as a tool; or { name } of one in the component registry.",
  ),
  outputSchema: freeMap("JSON Schema of the answer; or { name } of one in the component registry."),
  outputKey: text("State key that gets the answer."),
  planner: instanceRef("Makes the model plan before it acts: PlanReActPlanner, or one of the component registry."),
  codeExecutor: instanceRef("Runs code of the model: BuiltInCodeExecutor, or one of the component registry."),
  disallowTransferToParent: flag("The agent may not hand over to the one above."),
  disallowTransferToPeers: flag("The agent may not hand over to those beside it."),
  maxSteps: integer("Most calls of the model in one turn of this agent.", 1),
  executor,
  generateContentConfig: record("Settings of the model.", GENERATE_CONTENT_FIELDS),
  tools: listOf("Tools that the model may call.", tool),
  beforeModelCallbacks: callbacks("before the model"),
  afterModelCallbacks: callbacks("after the model"),
  onModelErrorCallbacks: callbacks("when the model fails"),
  beforeToolCallbacks: callbacks("before a tool"),
  afterToolCallbacks: callbacks("after a tool"),
  onToolErrorCallbacks: callbacks("when a tool fails"),
};
