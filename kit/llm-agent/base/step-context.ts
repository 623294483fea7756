import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { BaseLlmAgent } from "./base-llm-agent.ts";

/** One step of the loop: one request to the model and the work that its answer requires. */
export interface StepContext {
  readonly agent: BaseLlmAgent;
  readonly context: InvocationContext;
  readonly request: ToolLlmRequest;
  /** The agent may not call its model again in this turn (`maxSteps`). */
  readonly isLast?: boolean;
}

/** Adds one part to the request. */
export type RequestProcessor = (step: StepContext) => void | Promise<void>;

/** Handles each answer of the model at two points: before it becomes an event, and after that event was yielded. */
export interface ResponseProcessor {
  /** Whether the agent uses the processor; evaluated once for each agent. */
  applies(agent: BaseLlmAgent): boolean;
  /**
   * Returns the response that becomes an event, chunks of a stream included. Changes made through the context become
   * part of that event.
   */
  rewrite(step: StepContext, response: LlmResponse, callbacks: CallbackContext): LlmResponse | Promise<LlmResponse>;
  /**
   * Returns the events that follow a complete answer. The events of the first processor that returns some are yielded,
   * and then the model is called again.
   */
  followUp?(step: StepContext, answer: Event): AsyncIterable<Event> | undefined;
}
