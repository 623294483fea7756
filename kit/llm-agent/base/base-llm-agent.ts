import { BaseAgent, type BaseAgentOptions } from "#kit/core/base-agent.ts";
import type { BasePlanner } from "#kit/core/base-planner.ts";
import type { BaseTool, Toolset } from "#kit/core/base-tool.ts";
import {
  type AfterModelCallback,
  type AfterToolCallback,
  type BeforeModelCallback,
  type BeforeToolCallback,
  type OneOrMany,
  type OnModelErrorCallback,
  type OnToolErrorCallback,
  toList,
} from "#kit/core/callbacks.ts";
import { closeAll } from "#kit/core/close-all.ts";
import type { CodeExecutor } from "#kit/core/code-executor.ts";
import type { AgentNode } from "#kit/core/context/agent-node.ts";
import type { Executor } from "#kit/core/executor.ts";
import {
  type Instruction,
  type InstructionProvider,
  InstructionTemplates,
  toInstruction,
} from "#kit/core/instruction.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { shutdownWarnings } from "#kit/models/registry/model-shutdowns.ts";
import { FallbackLlm } from "#kit/models/routing/fallback-llm.ts";
import { type JsonSchemaSource, type Schema, toSchema } from "#kit/schema/schema.ts";
import { checkLlmAgentOptions } from "./check-options.ts";
import { type IncludeContents, toIncludeContents } from "./include-contents.ts";
import {
  inOrderAfter,
  inOrderBefore,
  type OrderedAfterToolCallback,
  type OrderedBeforeToolCallback,
} from "./tool-callback-forms.ts";

/** Options of an `LlmAgent`. */
export interface LlmAgentOptions extends BaseAgentOptions {
  /** A model, or a name that the model registry resolves; absent: the nearest ancestor's. */
  readonly model?: BaseLlm | string;
  /** Asked in this order when `model` fails; see `FallbackLlm`. They need `model` on the same agent. */
  readonly fallbackModels?: readonly (BaseLlm | string)[];
  /**
   * The task of the agent in this turn. A text can name values of the state, as `{city}`, `{city?}` (may be missing) and
   * `{artifact.name}`; a function makes the text for each turn.
   */
  readonly instruction?: string | InstructionProvider | Instruction;
  /**
   * Text that is the same in every turn and is used unchanged: it becomes the system instruction, which models can
   * cache, and `instruction` is sent directly before the user's newest message.
   */
  readonly staticInstruction?: string;
  /** How `{name}` in instructions that are text is handled, the global one included; LENIENT by default. */
  readonly instructionTemplates?: InstructionTemplates;
  /** Part of the instructions of every agent of the tree; only the root's is used. */
  readonly globalInstruction?: string | InstructionProvider | Instruction;
  /** The tools that the model can call. A toolset is asked for its tools in each turn. */
  readonly tools?: readonly (BaseTool | Toolset)[];
  /** `NONE`: the model sees this turn alone, and not the conversation before it. `DEFAULT` if absent. */
  readonly includeContents?: IncludeContents | Lowercase<IncludeContents>;
  /** Schema of the arguments when another agent calls this one as a tool (`AgentTool`). */
  readonly inputSchema?: JsonSchemaSource;
  /**
   * Schema of the agent's answer, which is then JSON. With tools, models that cannot do both get a tool to answer with.
   */
  readonly outputSchema?: JsonSchemaSource;
  /** State key that gets the text of the agent's final response (or, with an output schema, its value). */
  readonly outputKey?: string;
  /** Settings of the requests to the model, such as `temperature`, `maxOutputTokens` and `safetySettings`. */
  readonly generateContentConfig?: GenerateContentConfig;
  /** Instructs the model to plan before it acts. */
  readonly planner?: BasePlanner;
  /** Runs the code that the model writes. */
  readonly codeExecutor?: CodeExecutor;
  /** The model cannot hand the conversation back to the agent above; false by default. */
  readonly disallowTransferToParent?: boolean;
  /** The model cannot hand the conversation to other agents below the same parent; false by default. */
  readonly disallowTransferToPeers?: boolean;
  /** Model steps per turn of this agent; absent: no limit but the run's. */
  readonly maxSteps?: number;
  /**
   * Runs the calls of tools; a `ConcurrencyLimit` bounds how many run at the same time, over all runs and all agents
   * that share it.
   */
  readonly executor?: Executor;
  /** Before each request to the model: can change it, or return a response in the model's place. */
  readonly beforeModelCallback?: OneOrMany<BeforeModelCallback>;
  /** After each response of the model, chunks included: can return another one in its place. */
  readonly afterModelCallback?: OneOrMany<AfterModelCallback>;
  /** When the model fails: can return a response, so that the turn continues. */
  readonly onModelErrorCallback?: OneOrMany<OnModelErrorCallback>;
  /** Before each call of a tool: can change its arguments, or return a result in the tool's place. */
  readonly beforeToolCallback?: OneOrMany<BeforeToolCallback>;
  /** After each call of a tool: can return another result in its place. */
  readonly afterToolCallback?: OneOrMany<AfterToolCallback>;
  /** When a tool fails: can return a result for the model; otherwise the model gets the error. */
  readonly onToolErrorCallback?: OneOrMany<OnToolErrorCallback>;
}

/** The settings of an agent with a model, which the steps of its loop read. `LlmAgent` adds the loop. */
export abstract class BaseLlmAgent extends BaseAgent {
  override readonly kind = "llm";
  readonly model: BaseLlm | string | undefined;
  readonly fallbackModels: readonly (BaseLlm | string)[];
  #fallback: FallbackLlm | undefined;
  readonly instruction: Instruction | undefined;
  readonly staticInstruction: string | undefined;
  readonly instructionTemplates: InstructionTemplates;
  readonly globalInstruction: Instruction | undefined;
  readonly tools: readonly (BaseTool | Toolset)[];
  readonly includeContents: IncludeContents;
  readonly inputSchema: Schema | undefined;
  readonly outputSchema: Schema | undefined;
  readonly outputKey: string | undefined;
  readonly generateContentConfig: GenerateContentConfig;
  readonly planner: BasePlanner | undefined;
  readonly codeExecutor: CodeExecutor | undefined;
  readonly disallowTransferToParent: boolean;
  readonly disallowTransferToPeers: boolean;
  readonly maxSteps: number | undefined;
  readonly executor: Executor | undefined;
  readonly beforeModelCallbacks: readonly BeforeModelCallback[];
  readonly afterModelCallbacks: readonly AfterModelCallback[];
  readonly onModelErrorCallbacks: readonly OnModelErrorCallback[];
  readonly beforeToolCallbacks: readonly OrderedBeforeToolCallback[];
  readonly afterToolCallbacks: readonly OrderedAfterToolCallback[];
  readonly onToolErrorCallbacks: readonly OnToolErrorCallback[];

  /** Throws `INVALID_FIELD` for a value of the wrong kind, such as a function in `tools`. */
  constructor(options: LlmAgentOptions) {
    super(options);
    checkLlmAgentOptions(options);
    this.model = options.model;
    this.fallbackModels = options.fallbackModels ?? [];
    this.instruction = toInstruction(options.instruction);
    this.staticInstruction = options.staticInstruction === "" ? undefined : options.staticInstruction;
    this.instructionTemplates = options.instructionTemplates ?? InstructionTemplates.LENIENT;
    this.globalInstruction = toInstruction(options.globalInstruction);
    this.tools = options.tools ?? [];
    this.includeContents = toIncludeContents(options.includeContents);
    this.inputSchema = options.inputSchema === undefined ? undefined : toSchema(options.inputSchema, { isOwn: true });
    this.outputSchema =
      options.outputSchema === undefined ? undefined : toSchema(options.outputSchema, { isOwn: true });
    this.outputKey = options.outputKey;
    this.generateContentConfig = options.generateContentConfig ?? {};
    this.planner = options.planner;
    this.codeExecutor = options.codeExecutor;
    this.disallowTransferToParent = options.disallowTransferToParent ?? false;
    this.disallowTransferToPeers = options.disallowTransferToPeers ?? false;
    this.maxSteps = options.maxSteps;
    this.executor = options.executor;
    this.beforeModelCallbacks = toList(options.beforeModelCallback);
    this.afterModelCallbacks = toList(options.afterModelCallback);
    this.onModelErrorCallbacks = toList(options.onModelErrorCallback);
    this.beforeToolCallbacks = inOrderBefore(options.beforeToolCallback);
    this.afterToolCallbacks = inOrderAfter(options.afterToolCallback);
    this.onToolErrorCallbacks = toList(options.onToolErrorCallback);
  }

  /** The agent's own model, or that of the nearest ancestor that has one. Throws `MODEL_NOT_FOUND`. */
  resolveModel(): BaseLlm {
    for (let agent: BaseAgent | undefined = this; agent !== undefined; agent = agent.parentAgent) {
      if (!isLlmAgent(agent) || agent.model === undefined) continue;
      return agent.#ownModel(agent.model);
    }
    throw new PlatformError(
      "MODEL_NOT_FOUND",
      `Agent "${this.name}" has no model: set \`model\` on it or on an agent above it.`,
    );
  }

  #ownModel(model: BaseLlm | string): BaseLlm {
    if (this.fallbackModels.length === 0)
      return typeof model === "string" ? defaultModelRegistry.resolve(model) : model;
    this.#fallback ??= new FallbackLlm(
      [model, ...this.fallbackModels].map((each) =>
        typeof each === "string" ? defaultModelRegistry.resolve(each) : each,
      ),
    );
    return this.#fallback;
  }

  /** Throws the first failure after all were closed. */
  override async close(): Promise<void> {
    await closeAll([{ close: () => super.close() }, ...this.tools]);
  }
}

/**
 * One sentence for each model of the tree that its provider shuts down; it names the successor. Unknown names are left
 * to their first use. `now` is in milliseconds since the epoch.
 */
export function shutdownsInTree(root: BaseAgent, now: number): readonly string[] {
  const models: BaseLlm[] = [];
  const visit = (agent: BaseAgent): void => {
    if (isLlmAgent(agent) && agent.model !== undefined) {
      try {
        models.push(agent.resolveModel());
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
      }
    }
    agent.subAgents.forEach(visit);
  };
  visit(root);
  return shutdownWarnings(models, now);
}

/** Whether the agent has a model. */
export function isLlmAgent(agent: AgentNode | undefined): agent is BaseLlmAgent {
  return agent?.kind === "llm";
}
