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
 * Hooks that observe and change all runs of a runner. Plugins run before an agent's own callbacks of the same kind, in
 * the order of their registration; the first returned value is used. Methods are optional; there is no class to extend.
 */
export interface Plugin {
  /** Unique within a runner. */
  readonly name: string;
  /**
   * True: the plugin only observes. Its `afterModelCallback` and `onEventCallback` are not called for the chunks of
   * streams, and its `afterAgentCallback` does not wait for the store.
   */
  readonly isObserver?: boolean;
  /** Longest time for `close` in milliseconds; 5,000 if absent. */
  readonly closeTimeoutMs?: number;
  /** Returned content replaces the user's message before it is stored. */
  onUserMessageCallback?(context: InvocationContext, message: Content): Answer<Content>;
  /** Returned content ends the run as its answer; no agent runs. */
  beforeRunCallback?(context: InvocationContext): Answer<Content>;
  /**
   * Gets every event of the agents, and the answer of `beforeRunCallback`, before it is stored or sent; a returned
   * event replaces it (id, invocation and time are kept).
   */
  onEventCallback?(context: InvocationContext, event: Event): Answer<Event>;
  /**
   * Runs at the end of every run that has begun, with the run's outcome. Errors that it throws are logged and change
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
