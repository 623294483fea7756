import type { ReadonlyContext } from "../agents/readonly-context.ts";
import type { FunctionDeclaration, LlmRequest } from "../models/llm-request.ts";
import type { JsonObject } from "../platform/json.ts";
import type { ToolContext } from "./tool-context.ts";

export type ToolLlmRequest = LlmRequest<BaseTool>;

/** Something a model can call. Instances are shared by all runs and hold no state of one. */
export abstract class BaseTool {
  readonly name: string;
  readonly description: string;
  /** The answer comes later, by a message of the user; what `runAsync` gives is only a first notice. */
  readonly isLongRunning: boolean;
  /** Running it twice with the same call id has the effect of running it once. */
  readonly idempotent: boolean;

  constructor(options: { name: string; description: string; isLongRunning?: boolean; idempotent?: boolean }) {
    this.name = options.name;
    this.description = options.description;
    this.isLongRunning = options.isLongRunning ?? false;
    this.idempotent = options.idempotent ?? false;
  }

  /** What the model is told; undefined for tools that only change the request. */
  getDeclaration(): FunctionDeclaration | undefined {
    return undefined;
  }

  /** A result that is no object reaches the model under the key `result`, nothing as null. */
  abstract runAsync(args: JsonObject, context: ToolContext): Promise<unknown>;

  /** Changes the request of each step; by default declares the tool. */
  processLlmRequest(_context: ToolContext, request: ToolLlmRequest): void | Promise<void> {
    if (this.getDeclaration() !== undefined) request.appendTools(this);
  }
}

/** Tools that are found at run time, such as those of a server. Pooled by the runner and closed with it. */
export interface Toolset {
  getTools(context: ReadonlyContext): Promise<readonly BaseTool[]>;
  close(): Promise<void>;
}

export function isToolset(tool: BaseTool | Toolset): tool is Toolset {
  return "getTools" in tool;
}
