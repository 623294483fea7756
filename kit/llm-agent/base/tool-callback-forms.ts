import type { BaseTool } from "#kit/core/base-tool.ts";
import { type AfterToolCallback, type BeforeToolCallback, type OneOrMany, toList } from "#kit/core/callbacks.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Answer } from "#kit/core/context/plugin-chains.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** A callback before a tool that takes its arguments in order. */
export type OrderedBeforeToolCallback = (
  invocation: InvocationContext,
  tool: BaseTool,
  args: Record<string, JsonObject[string]>,
  context: ToolContext,
) => Answer<JsonObject>;

/** A callback after a tool that takes its arguments in order. */
export type OrderedAfterToolCallback = (
  invocation: InvocationContext,
  tool: BaseTool,
  args: JsonObject,
  context: ToolContext,
  result: JsonObject,
) => Answer<JsonObject>;

/**
 * Callbacks with one parameter get an invocation that has the other arguments as members. Others get the agent's own
 * invocation.
 */
export function inOrderBefore(
  callbacks: OneOrMany<BeforeToolCallback> | undefined,
): readonly OrderedBeforeToolCallback[] {
  return toList(callbacks).map((callback) => {
    // A callback with more parameters gets the members through them.
    if (callback.length !== 1) return callback as OrderedBeforeToolCallback;
    return (invocation, tool, args, context) =>
      callback(invocation.withMembers({ tool, args, context }), tool, args, context);
  });
}

/** As `inOrderBefore`; the member `response` is the tool's result. */
export function inOrderAfter(callbacks: OneOrMany<AfterToolCallback> | undefined): readonly OrderedAfterToolCallback[] {
  return toList(callbacks).map((callback) => {
    // A callback with more parameters gets the members through them.
    if (callback.length !== 1) return callback as OrderedAfterToolCallback;
    return (invocation, tool, args, context, result) => {
      const members = { tool, args, context, response: result };
      return callback(invocation.withMembers(members), tool, args, context, result);
    };
  });
}
