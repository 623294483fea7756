import { InstructionTemplates } from "#kit/core/instruction.ts";
import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { Type } from "#kit/schema/shape.ts";
import type {
  AgentRefConfig,
  BaseAgentConfig,
  CallbackRef,
  ExecutorConfig,
  InstanceRef,
  LlmAgentConfig,
  LoopAgentConfig,
  RemoteA2AAgentConfig,
  ToolConfig,
} from "./agent-config.ts";
import { eitherOr, flag, freeMap, integer, listOf, oneOf, record, text } from "./config-shapes.ts";
import { GENERATE_CONTENT_FIELDS, MODEL_FIELD } from "./model-config-fields.ts";
import { ToolArgsConfig } from "./tool-args-config.ts";

const agentRef = record<AgentRefConfig>(
  "Refers to another agent, by the file of its definition or by its name in the component registry.",
  Type.Partial({
    configPath: text("Path of the agent's file, relative to this file and inside the app's folder."),
    code: text("Its name in the component registry."),
  }),
  { check: eitherOr<AgentRefConfig>("configPath", "code") },
);

const callbackRef = record<CallbackRef>("A callback.", { name: text("Its name in the component registry.") });

/** A component by its name, with arguments of its own. */
export const registered = (description: string, args: string) =>
  record<ToolConfig>(description, {
    name: text("Its name in the component registry."),
    args: Type.Optional(
      Type.Custom({ type: "object", description: args }, (given) =>
        isJsonObject(given) ? new ToolArgsConfig(given) : undefined,
      ),
    ),
  });

const executor = record<ExecutorConfig>(
  "How many tool calls of the agent run at the same time, over all runs; others wait in order.",
  Type.Partial({
    maxConcurrent: integer("The most calls at the same time.", 1),
    name: text(
      "Instead of maxConcurrent: the name of an executor in the component registry, which several agents may share.",
    ),
  }),
  { check: eitherOr<ExecutorConfig>("maxConcurrent", "name") },
);

export const instanceRef = (description: string) =>
  record<InstanceRef>(description, { name: text("Its name in the component registry.") });

const callbacks = (when: string) => listOf(`Callbacks that run ${when}, in this order.`, callbackRef);

export const BASE_AGENT_FIELDS = record<BaseAgentConfig>("", {
  ...Type.Partial({
    agentClass: text(
      "Kind of the agent: LlmAgent (the default), SequentialAgent, ParallelAgent, LoopAgent, PlannerAgent, RemoteA2AAgent, or a class of the component registry.",
    ),
  }),
  name: text("An identifier, unique within the tree of agents."),
  ...Type.Partial({
    description: text("Describes the agent's purpose to other agents."),
    subAgents: listOf("Agents below this one.", agentRef),
    beforeAgentCallbacks: callbacks("before the agent"),
    afterAgentCallbacks: callbacks("after the agent"),
  }),
});

export const LOOP_AGENT_FIELDS = record<LoopAgentConfig>("", {
  ...BASE_AGENT_FIELDS.properties,
  ...Type.Partial({
    maxIterations: integer(
      "The most passes over the sub-agents. If left out, the loop runs until an agent in it escalates.",
      0,
    ),
  }),
});

export const REMOTE_A2A_AGENT_FIELDS = record<RemoteA2AAgentConfig>("", {
  ...BASE_AGENT_FIELDS.properties,
  agentCard: text("The address of the remote agent's card or of its server."),
  ...Type.Partial({
    authScheme: text("How the remote authenticates calls: an instance of the component registry."),
    authCredential: text("The author's key, or the client of users' sign-ins: an instance of the component registry."),
    signIn: text("How users sign in by a scheme of the remote's card: an instance of the component registry."),
    headerProvider: text("Gives the headers of each run: a function among the instances of the component registry."),
    credentialKey: text("The name of the user's credential in the store; one for this remote by default."),
  }),
});

export const LLM_AGENT_FIELDS = record<LlmAgentConfig>("", {
  ...BASE_AGENT_FIELDS.properties,
  ...Type.Partial({
    model: MODEL_FIELD,
    fallbackModels: listOf("Asked in this order when the model fails.", text("Name of a model.")),
    modelCode: instanceRef("A model of the component registry, instead of a model's name."),
  }),
  instruction: text("The instruction for the model. {key} is filled from the state, {artifact.name} from a file."),
  ...Type.Partial({
    globalInstruction: text("An instruction for every agent of the tree. Only that of the root is used."),
    staticInstruction: text(
      "Passed to the model unchanged on every turn, so that models can cache it. The instruction follows it.",
    ),
    instructionTemplates: oneOf(
      Object.values(InstructionTemplates),
      "How {key} in instructions is handled. LENIENT: filled if known; STRICT: filled, or an error; OFF: not filled.",
    ),
    includeContents: oneOf(Object.values(IncludeContents), "How much of the conversation the model gets."),
    inputSchema: freeMap(
      "JSON Schema of the input, when the agent serves as a tool; or { name } of one in the component registry.",
    ),
    outputSchema: freeMap("JSON Schema of the answer; or { name } of one in the component registry."),
    outputKey: text("State key in which the answer is saved."),
    planner: instanceRef("Makes the model plan before it acts: PlanReActPlanner, or one of the component registry."),
    codeExecutor: instanceRef("Runs code of the model: BuiltInCodeExecutor, or one of the component registry."),
    disallowTransferToParent: flag("The agent may not transfer to its parent."),
    disallowTransferToPeers: flag("The agent may not transfer to its siblings."),
    maxSteps: integer("The most calls of the model in one turn of this agent.", 1),
    executor,
    generateContentConfig: GENERATE_CONTENT_FIELDS,
    tools: listOf(
      "Tools that the model may call.",
      registered("A tool.", "Arguments of the tool; each tool defines its own."),
    ),
    beforeModelCallbacks: callbacks("before the model"),
    afterModelCallbacks: callbacks("after the model"),
    onModelErrorCallbacks: callbacks("when the model fails"),
    beforeToolCallbacks: callbacks("before a tool"),
    afterToolCallbacks: callbacks("after a tool"),
    onToolErrorCallbacks: callbacks("when a tool fails"),
  }),
});
