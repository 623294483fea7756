import type { Content } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { BaseTool, ToolLlmRequest } from "./base-tool.ts";
import type { CallbackContext } from "./context/callback-context.ts";
import type { InvocationContext } from "./context/invocation-context.ts";
import type { Answer } from "./context/plugin-chains.ts";
import type { ToolContext } from "./context/tool-context.ts";

// The first argument of the callbacks of models and tools also has the other arguments as members: a callback may take
// them in order, or may take one object, as in `({ context, request }) => …`.

/** A context, with the request to the model. */
export interface ModelRequestContext extends CallbackContext {
  readonly request: ToolLlmRequest;
}
/** A context, with the response of the model. */
export interface ModelResponseContext extends CallbackContext {
  readonly response: LlmResponse;
}
/** An invocation, with the members of one tool call. */
export type ToolCallInvocation = InvocationContext & {
  readonly tool: BaseTool;
  readonly args: Record<string, JsonObject[string]>;
  readonly context: ToolContext;
};
/** An invocation, with the members of one tool call and its result. */
export type ToolResultInvocation = InvocationContext & {
  readonly tool: BaseTool;
  readonly args: JsonObject;
  readonly context: ToolContext;
  readonly response: JsonObject;
};

// Every callback may return a value or a promise: there is no separate synchronous variant.

/** Returned content ends the agent's turn as its answer; the agent does not run. */
export type BeforeAgentCallback = (context: CallbackContext) => Answer<Content>;
/** Returned content is added as one more event. */
export type AfterAgentCallback = (context: CallbackContext) => Answer<Content>;
/** May change the request; a returned response replaces the model call. */
export type BeforeModelCallback = (context: ModelRequestContext, request: ToolLlmRequest) => Answer<LlmResponse>;
/** A returned response replaces the model's; called for each chunk of a stream too. */
export type AfterModelCallback = (context: ModelResponseContext, response: LlmResponse) => Answer<LlmResponse>;
/** A returned response is used as the model's; otherwise the error is thrown. */
export type OnModelErrorCallback = (
  context: CallbackContext,
  request: ToolLlmRequest,
  error: Error,
) => Answer<LlmResponse>;
/** May change the arguments; a returned result replaces the tool call. */
export type BeforeToolCallback = (
  invocation: ToolCallInvocation,
  tool: BaseTool,
  args: Record<string, JsonObject[string]>,
  context: ToolContext,
) => Answer<JsonObject>;
/** A returned result replaces the tool's. */
export type AfterToolCallback = (
  invocation: ToolResultInvocation,
  tool: BaseTool,
  args: JsonObject,
  context: ToolContext,
  result: JsonObject,
) => Answer<JsonObject>;
/** A returned result is used as the tool's; otherwise the error is reported to the model. */
export type OnToolErrorCallback = (
  invocation: InvocationContext,
  tool: BaseTool,
  args: JsonObject,
  context: ToolContext,
  error: Error,
) => Answer<JsonObject>;

export type OneOrMany<Item> = Item | readonly Item[];

export function toList<Item extends object>(items: OneOrMany<Item> | undefined): readonly Item[] {
  if (items === undefined) return [];
  return isList(items) ? items : [items];
}

function isList<Item extends object>(items: OneOrMany<Item>): items is readonly Item[] {
  return Array.isArray(items);
}
