import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { BaseTool, ToolLlmRequest } from "./base-tool.ts";
import type { CallbackContext } from "./context/callback-context.ts";
import type { InvocationContext, RunnableAgent } from "./context/invocation-context.ts";
import type { Answer, Awaitable } from "./context/plugin-chains.ts";
import type { RunOutcome } from "./context/run-outcome.ts";
import type { ToolContext } from "./context/tool-context.ts";

/**
 * Watches and changes all runs of a runner. Plugins run before an agent's own callbacks of the same kind, in the order
 * of their registration; the first value given wins. Methods are optional; there is no class to extend.
 */
export interface Plugin {
  /** Unique within a runner. */
  readonly name: string;
  /** Content given replaces the user's message before it is stored. */
  onUserMessageCallback?(context: InvocationContext, message: Content): Answer<Content>;
  /** Content given ends the run with it; no agent runs. */
  beforeRunCallback?(context: InvocationContext): Answer<Content>;
  /**
   * Sees every event of the agents, and an answer of `beforeRunCallback`, before it is stored or sent; one given takes
   * its place (id, invocation and time are kept).
   */
  onEventCallback?(context: InvocationContext, event: Event): Answer<Event>;
  /**
   * Always runs when the run has begun, however it ends; the outcome tells how. What it throws is logged and changes
   * nothing.
   */
  afterRunCallback?(context: InvocationContext, outcome: RunOutcome): Awaitable<void>;
  onRunErrorCallback?(context: InvocationContext, error: Error): Awaitable<void>;
  beforeAgentCallback?(agent: RunnableAgent, context: CallbackContext): Answer<Content>;
  afterAgentCallback?(agent: RunnableAgent, context: CallbackContext): Answer<Content>;
  beforeModelCallback?(context: CallbackContext, request: ToolLlmRequest): Answer<LlmResponse>;
  afterModelCallback?(context: CallbackContext, response: LlmResponse): Answer<LlmResponse>;
  onModelErrorCallback?(context: CallbackContext, request: ToolLlmRequest, error: Error): Answer<LlmResponse>;
  beforeToolCallback?(tool: BaseTool, args: Record<string, JsonValue>, context: ToolContext): Answer<JsonObject>;
  afterToolCallback?(tool: BaseTool, args: JsonObject, context: ToolContext, result: JsonObject): Answer<JsonObject>;
  onToolErrorCallback?(tool: BaseTool, args: JsonObject, context: ToolContext, error: Error): Answer<JsonObject>;
  close?(): Awaitable<void>;
}
