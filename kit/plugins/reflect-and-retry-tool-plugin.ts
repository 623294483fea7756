import type { BaseTool } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { errorText } from "#kit/llm-agent/tool-calls/tool-response.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { JsonObject } from "../platform/json.ts";

/** Marks answers that this plugin returned instead of a tool. */
const REFLECT_AND_RETRY_RESPONSE_TYPE = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN";

/** Whether consecutive failures of a tool are counted for each run, or over all runs of the runner. */
export const RetryScope = { INVOCATION: "INVOCATION", GLOBAL: "GLOBAL" } as const;
export type RetryScope = (typeof RetryScope)[keyof typeof RetryScope];

/** Options of a `ReflectAndRetryToolPlugin`. */
export interface ReflectAndRetryToolPluginOptions {
  /** The plugin's name; `reflect_and_retry_tool` by default. */
  readonly name?: string;
  /** How many consecutive failures of a tool the model may retry; 3 by default. */
  readonly maxRetries?: number;
  /**
   * Ends the run with the tool's error after the last retry, instead of instructing the model to do without the tool.
   */
  readonly throwIfRetriesExceeded?: boolean;
  /** The scope of the count; `INVOCATION` by default. */
  readonly scope?: RetryScope;
  /** Returns the error text of a failure that a result contains, or undefined for a success. */
  readonly extractError?: (tool: BaseTool, args: JsonObject, result: JsonObject) => string | undefined;
}

/** Tool names come from the model: the global count must not grow with names that it invents. */
const MAX_GLOBAL_TOOLS = 1000;

/**
 * Describes a failed tool call to the model and instructs it to reflect before it retries. A success resets the count.
 */
export class ReflectAndRetryToolPlugin implements Plugin {
  readonly name: string;
  readonly #options: ReflectAndRetryToolPluginOptions;
  readonly #maxRetries: number;
  /** Consecutive failures by scope and tool. */
  readonly #failures = new Map<string, Map<string, number>>();

  constructor(options: ReflectAndRetryToolPluginOptions = {}) {
    this.name = options.name ?? "reflect_and_retry_tool";
    this.#options = options;
    this.#maxRetries = options.maxRetries ?? 3;
  }

  onToolErrorCallback(tool: BaseTool, args: JsonObject, context: ToolContext, error: Error): JsonObject {
    return this.#reflect({ tool, args, context, error });
  }

  afterToolCallback(
    tool: BaseTool,
    args: JsonObject,
    context: ToolContext,
    result: JsonObject,
  ): JsonObject | undefined {
    if (result["response_type"] === REFLECT_AND_RETRY_RESPONSE_TYPE) return undefined;
    const problem = this.#options.extractError?.(tool, args, result);
    if (problem !== undefined) return this.#reflect({ tool, args, context, error: new Error(problem) });
    this.#failures.get(this.#scopeOf(context.invocationContext))?.delete(tool.name);
    return undefined;
  }

  afterRunCallback(context: InvocationContext): void {
    if (this.#options.scope !== RetryScope.GLOBAL) this.#failures.delete(this.#scopeOf(context));
  }

  #reflect({ tool, args, context, error }: Failure): JsonObject {
    const count = this.#count(this.#scopeOf(context.invocationContext), tool.name);
    const exceeded = count > this.#maxRetries;
    if (exceeded && this.#options.throwIfRetriesExceeded === true) throw error;
    return {
      response_type: REFLECT_AND_RETRY_RESPONSE_TYPE,
      error_type: error.name,
      error_details: errorText(error),
      retry_count: Math.min(count, this.#maxRetries),
      reflection_guidance: exceeded ? giveUp(tool) : tryAgain(tool, args, this.#maxRetries - count),
    };
  }

  #count(scope: string, toolName: string): number {
    const tools = this.#failures.get(scope) ?? new Map<string, number>();
    this.#failures.set(scope, tools);
    const count = (tools.get(toolName) ?? 0) + 1;
    tools.set(toolName, count);
    for (const oldest of tools.keys()) {
      if (tools.size <= MAX_GLOBAL_TOOLS) break;
      tools.delete(oldest);
    }
    return count;
  }

  #scopeOf({ invocationId, session }: InvocationContext): string {
    return this.#options.scope === RetryScope.GLOBAL
      ? ""
      : tenantKey(`${session.userId}\n${session.id}\n${invocationId}`, session.tenantId);
  }
}

interface Failure {
  readonly tool: BaseTool;
  readonly args: JsonObject;
  readonly context: ToolContext;
  readonly error: Error;
}

function tryAgain(tool: BaseTool, args: JsonObject, left: number): string {
  return (
    `The call of \`${tool.name}\` failed with the arguments ${JSON.stringify(args)}. Do not repeat it unchanged. ` +
    "Read the error, find out which argument or assumption is wrong, and then call again in another way, or use another tool. " +
    `${left} more ${left === 1 ? "try is" : "tries are"} left.`
  );
}

function giveUp(tool: BaseTool): string {
  return `\`${tool.name}\` has failed too often. Do not call it again for this task: use another way, or tell the user what cannot be done.`;
}
