import { PlatformError } from "../errors/platform-error.ts";
import type { Event } from "../events/event.ts";
import { runLlmFlow } from "../flow/run-llm-flow.ts";
import type { BaseLlm } from "../models/base-llm.ts";
import type { GenerateContentConfig } from "../models/llm-request.ts";
import { defaultModelRegistry } from "../models/model-registry.ts";
import { type BaseTool, isToolset, type Toolset } from "../tools/base-tool.ts";
import { type JsonSchemaSource, type Schema, toSchema } from "../tools/schema.ts";
import { BaseAgent, type BaseAgentOptions } from "./base-agent.ts";
import {
  type AfterModelCallback,
  type AfterToolCallback,
  type BeforeModelCallback,
  type BeforeToolCallback,
  type OneOrMany,
  type OnModelErrorCallback,
  type OnToolErrorCallback,
  toList,
} from "./callbacks.ts";
import { IncludeContents } from "./include-contents.ts";
import { type Instruction, type InstructionProvider, toInstruction } from "./instruction.ts";
import type { InvocationContext } from "./invocation-context.ts";

export interface LlmAgentOptions extends BaseAgentOptions {
  /** A model, or a name that the model registry resolves; absent: the nearest ancestor's. */
  readonly model?: BaseLlm | string;
  readonly instruction?: string | InstructionProvider | Instruction;
  /** Told to every agent of the tree; only the root's counts. */
  readonly globalInstruction?: string | InstructionProvider | Instruction;
  readonly tools?: readonly (BaseTool | Toolset)[];
  readonly includeContents?: IncludeContents;
  readonly inputSchema?: JsonSchemaSource;
  readonly outputSchema?: JsonSchemaSource;
  /** State key that gets the text of the agent's final response (or, with an output schema, its value). */
  readonly outputKey?: string;
  readonly generateContentConfig?: GenerateContentConfig;
  readonly disallowTransferToParent?: boolean;
  readonly disallowTransferToPeers?: boolean;
  /** Model steps per turn of this agent; absent: no limit but the run's. */
  readonly maxSteps?: number;
  readonly beforeModelCallback?: OneOrMany<BeforeModelCallback>;
  readonly afterModelCallback?: OneOrMany<AfterModelCallback>;
  readonly onModelErrorCallback?: OneOrMany<OnModelErrorCallback>;
  readonly beforeToolCallback?: OneOrMany<BeforeToolCallback>;
  readonly afterToolCallback?: OneOrMany<AfterToolCallback>;
  readonly onToolErrorCallback?: OneOrMany<OnToolErrorCallback>;
}

/** An agent whose work is done by a model that may call tools and hand over to other agents. */
export class LlmAgent extends BaseAgent {
  override readonly kind = "llm";
  readonly model: BaseLlm | string | undefined;
  readonly instruction: Instruction | undefined;
  readonly globalInstruction: Instruction | undefined;
  readonly tools: readonly (BaseTool | Toolset)[];
  readonly includeContents: IncludeContents;
  readonly inputSchema: Schema | undefined;
  readonly outputSchema: Schema | undefined;
  readonly outputKey: string | undefined;
  readonly generateContentConfig: GenerateContentConfig;
  readonly disallowTransferToParent: boolean;
  readonly disallowTransferToPeers: boolean;
  readonly maxSteps: number | undefined;
  readonly beforeModelCallbacks: readonly BeforeModelCallback[];
  readonly afterModelCallbacks: readonly AfterModelCallback[];
  readonly onModelErrorCallbacks: readonly OnModelErrorCallback[];
  readonly beforeToolCallbacks: readonly BeforeToolCallback[];
  readonly afterToolCallbacks: readonly AfterToolCallback[];
  readonly onToolErrorCallbacks: readonly OnToolErrorCallback[];

  constructor(options: LlmAgentOptions) {
    super(options);
    this.model = options.model;
    this.instruction = toInstruction(options.instruction);
    this.globalInstruction = toInstruction(options.globalInstruction);
    this.tools = options.tools ?? [];
    this.includeContents = options.includeContents ?? IncludeContents.DEFAULT;
    this.inputSchema = options.inputSchema === undefined ? undefined : toSchema(options.inputSchema);
    this.outputSchema = options.outputSchema === undefined ? undefined : toSchema(options.outputSchema);
    this.outputKey = options.outputKey;
    this.generateContentConfig = options.generateContentConfig ?? {};
    this.disallowTransferToParent = options.disallowTransferToParent ?? false;
    this.disallowTransferToPeers = options.disallowTransferToPeers ?? false;
    this.maxSteps = options.maxSteps;
    this.beforeModelCallbacks = toList(options.beforeModelCallback);
    this.afterModelCallbacks = toList(options.afterModelCallback);
    this.onModelErrorCallbacks = toList(options.onModelErrorCallback);
    this.beforeToolCallbacks = toList(options.beforeToolCallback);
    this.afterToolCallbacks = toList(options.afterToolCallback);
    this.onToolErrorCallbacks = toList(options.onToolErrorCallback);
  }

  /** The agent's own model, or that of the nearest ancestor that has one. Throws `MODEL_NOT_FOUND`. */
  resolveModel(): BaseLlm {
    for (let agent: BaseAgent | undefined = this; agent !== undefined; agent = agent.parentAgent) {
      if (!(agent instanceof LlmAgent) || agent.model === undefined) continue;
      return typeof agent.model === "string" ? defaultModelRegistry.resolve(agent.model) : agent.model;
    }
    throw new PlatformError(
      "MODEL_NOT_FOUND",
      `Agent "${this.name}" has no model: set \`model\` on it or on an agent above it.`,
    );
  }

  override async close(): Promise<void> {
    await super.close();
    for (const tool of this.tools) if (isToolset(tool)) await tool.close();
  }

  protected override runAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLlmFlow(this, context);
  }
}
