import type { FunctionDeclaration, LlmRequest } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";
import type { ToolContext } from "./context/tool-context.ts";

export type ToolLlmRequest = LlmRequest<BaseTool>;

/** Whether the user has to confirm a call with these arguments before it runs. */
export type RequireConfirmation = (args: JsonObject, context: ToolContext) => boolean | Promise<boolean>;

/** Options that all tools have. */
export interface BaseToolOptions {
  /** The name in calls of the model; letters, digits, `_`, `.`, `-`. */
  readonly name: string;
  /** Describes to the model what the tool does and when to use it. */
  readonly description: string;
  /**
   * The final result arrives later, in a message of the user; what the call returns is only an interim one. False by default.
   */
  readonly isLongRunning?: boolean;
  /** Running the tool twice with the same call id has the effect of running it once; false by default. */
  readonly idempotent?: boolean;
  /** False: no other call of the same answer runs concurrently; true by default. */
  readonly parallelSafe?: boolean;
  /** The time limit of one call; then `context.signal` is aborted and the model gets an error. */
  readonly timeoutMs?: number;
  /** The user has to confirm calls before they run: all, or those that the function returns true for. */
  readonly requireConfirmation?: boolean | RequireConfirmation;
  /** `NON_BLOCKING`: a live model of Gemini talks on while the call runs. Other models ignore it. */
  readonly behavior?: ToolBehavior;
  /** How a live model takes a response up that arrives while it talks. */
  readonly responseScheduling?: ResponseScheduling;
}

/** Whether a live model waits for the tool, or talks on while it runs. Other models always wait. */
export type ToolBehavior = NonNullable<FunctionDeclaration["behavior"]>;

/** Tells a live model that talks while a tool answers to do nothing, to react when it is idle, or to stop and react. */
export type ResponseScheduling = "SILENT" | "WHEN_IDLE" | "INTERRUPT";

/** Where a tool's work is done: in this process, by a server, or by another agent. */
export const ToolOrigin = {
  LOCAL: "LOCAL",
  MCP: "MCP",
  A2A: "A2A",
  SUB_AGENT: "SUB_AGENT",
  TRANSFER_AGENT: "TRANSFER_AGENT",
  UNKNOWN: "UNKNOWN",
} as const;
export type ToolOrigin = (typeof ToolOrigin)[keyof typeof ToolOrigin];

/** A tool that a model can call. Instances are shared by all runs and hold no state of one. */
export abstract class BaseTool {
  readonly name: string;
  readonly description: string;
  /** The final result arrives later, in a message of the user; the result of `runAsync` is only an interim one. */
  readonly isLongRunning: boolean;
  /** Running the tool twice with the same call id has the effect of running it once. */
  readonly idempotent: boolean;
  /** Whether other calls of the same model answer may run at the same time. */
  readonly parallelSafe: boolean;
  /**
   * The longest time for one call; then its signal is aborted and the model gets an error. Absent: only the run's limit
   * applies.
   */
  readonly timeoutMs: number | undefined;
  /** In a live run; the model's own default if absent. */
  readonly behavior: ToolBehavior | undefined;
  readonly responseScheduling: ResponseScheduling | undefined;
  /** Whether results arrive one by one; in a live run, each of them reaches the model when it arrives. */
  readonly isStreaming: boolean = false;
  readonly #requireConfirmation: boolean | RequireConfirmation;

  constructor(options: BaseToolOptions) {
    this.name = options.name;
    this.description = options.description;
    this.isLongRunning = options.isLongRunning ?? false;
    this.idempotent = options.idempotent ?? false;
    this.parallelSafe = options.parallelSafe ?? true;
    this.timeoutMs = options.timeoutMs;
    this.behavior = options.behavior;
    this.responseScheduling = options.responseScheduling;
    this.#requireConfirmation = options.requireConfirmation ?? false;
  }

  /** For analytics; classes of tools override it. */
  get toolOrigin(): ToolOrigin {
    return ToolOrigin.UNKNOWN;
  }

  /** The declaration for the model; undefined for tools that only change the request. */
  getDeclaration(): FunctionDeclaration | undefined {
    return undefined;
  }

  /**
   * Whether the kit asks the user for the confirmation. The kit then also answers a rejected call, which does not run.
   * A tool that asks by itself (`context.requestConfirmation`) runs again, and reads the rejection from
   * `context.toolConfirmation`.
   */
  get declaresConfirmation(): boolean {
    return this.#requireConfirmation !== false;
  }

  /** Whether the user has to confirm this call; asked before it runs, as long as there is no confirmation of it. */
  needsConfirmation(args: JsonObject, context: ToolContext): boolean | Promise<boolean> {
    const rule = this.#requireConfirmation;
    return typeof rule === "boolean" ? rule : rule(args, context);
  }

  /**
   * A result that is not an object reaches the model under the key `result`, undefined as null. Each value of a stream
   * is emitted as progress; the stream's return value, or else its last value, is the result.
   */
  abstract runAsync(args: JsonObject, context: ToolContext): Promise<unknown>;

  /** Changes the request of each step; by default declares the tool. */
  processLlmRequest(_context: ToolContext, request: ToolLlmRequest): void | Promise<void> {
    if (this.getDeclaration() !== undefined) request.appendTools(this);
  }

  /** Closes the tool's resources; called when its agent is closed. */
  async close(): Promise<void> {}
}

/** Tools that are listed at run time, such as those of a server. Pooled by the runner and closed with it. */
export interface Toolset {
  getTools(context: ReadonlyContext): Promise<readonly BaseTool[]>;
  /** Changes the request of each step, before the toolset's tools do. */
  processLlmRequest?(context: ToolContext, request: ToolLlmRequest): void | Promise<void>;
  close(): Promise<void>;
}

export function isToolset(tool: BaseTool | Toolset): tool is Toolset {
  return "getTools" in tool;
}
