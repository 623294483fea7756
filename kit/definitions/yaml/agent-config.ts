import type { InstructionTemplates } from "#kit/core/instruction.ts";
import type { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ToolArgsConfig } from "./tool-args-config.ts";

/**
 * Refers to another agent: by the file of its definition, or by its name in the component registry. Exactly one is set.
 */
export interface AgentRefConfig {
  /** Relative to the referring file, inside the app's folder. */
  readonly configPath?: string;
  readonly code?: string;
}

/** Refers to a callback by its name in the component registry. */
export interface CallbackRef {
  readonly name: string;
}

/** Refers to a named instance of the component registry. */
export interface InstanceRef {
  readonly name: string;
}

/**
 * How many tool calls of an agent run concurrently: a number, or an executor of the component registry. Exactly one is
 * set.
 */
export interface ExecutorConfig {
  readonly maxConcurrent?: number;
  readonly name?: string;
}

/** Refers to a tool by its name in the component registry. */
export interface ToolConfig {
  readonly name: string;
  readonly args?: ToolArgsConfig;
}

/** The common fields of all agents' definitions. */
export interface BaseAgentConfig {
  /** Name in the component registry; absent: `LlmAgent`. */
  readonly agentClass?: string;
  readonly name: string;
  readonly description?: string;
  readonly subAgents?: readonly AgentRefConfig[];
  readonly beforeAgentCallbacks?: readonly CallbackRef[];
  readonly afterAgentCallbacks?: readonly CallbackRef[];
}

/** A model by its name, with properties of its own. */
export interface ModelConfig extends ModelProperties {
  /** The name that an agent's `model` has if it has no properties. */
  readonly model: string;
  /** Such as `bedrock`: the same as the name with `bedrock/` before it. */
  readonly provider?: string;
  /** The API of OpenAI: `responses` is the same as the name with `openai-responses/` before it. */
  readonly api?: "chat" | "responses";
}

/** A definition of an `LlmAgent`. */
export interface LlmAgentConfig extends BaseAgentConfig {
  readonly model?: string | ModelConfig;
  /** Names of models, asked in this order when `model` or `modelCode` fails. */
  readonly fallbackModels?: readonly string[];
  /** A model of the component registry, instead of `model`. */
  readonly modelCode?: InstanceRef;
  readonly instruction: string;
  /** Constant on every turn and without placeholders, so that models can cache it. */
  readonly staticInstruction?: string;
  readonly instructionTemplates?: InstructionTemplates;
  readonly globalInstruction?: string;
  readonly includeContents?: IncludeContents;
  /** JSON Schema; or only `name`, of a schema in the component registry. */
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly outputKey?: string;
  readonly planner?: InstanceRef;
  readonly codeExecutor?: InstanceRef;
  readonly disallowTransferToParent?: boolean;
  readonly disallowTransferToPeers?: boolean;
  readonly maxSteps?: number;
  readonly executor?: ExecutorConfig;
  readonly generateContentConfig?: GenerateContentConfig;
  readonly tools?: readonly ToolConfig[];
  readonly beforeModelCallbacks?: readonly CallbackRef[];
  readonly afterModelCallbacks?: readonly CallbackRef[];
  readonly onModelErrorCallbacks?: readonly CallbackRef[];
  readonly beforeToolCallbacks?: readonly CallbackRef[];
  readonly afterToolCallbacks?: readonly CallbackRef[];
  readonly onToolErrorCallbacks?: readonly CallbackRef[];
}

/** A definition of a `SequentialAgent`. */
export type SequentialAgentConfig = BaseAgentConfig;

/** A definition of a `ParallelAgent`. */
export type ParallelAgentConfig = BaseAgentConfig;

/** A definition of a `RemoteA2AAgent`. */
export interface RemoteA2AAgentConfig extends BaseAgentConfig {
  readonly agentCard: string;
  /** Names of instances of the registry, because definitions are shown to everybody who may edit them. */
  readonly authScheme?: string;
  readonly authCredential?: string;
  readonly signIn?: string;
  readonly headerProvider?: string;
  readonly credentialKey?: string;
}

/** A definition of a `LoopAgent`. */
export interface LoopAgentConfig extends BaseAgentConfig {
  /** How often the sub-agents run; absent: until one of them escalates. */
  readonly maxIterations?: number;
}
