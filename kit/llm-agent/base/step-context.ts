import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { BaseLlmAgent } from "./base-llm-agent.ts";

/** One step of the loop: one request to the model and what follows from its answer. */
export interface StepContext {
  readonly agent: BaseLlmAgent;
  readonly context: InvocationContext;
  readonly request: ToolLlmRequest;
  /** The agent may not ask its model again in this turn (`maxSteps`). */
  readonly isLast?: boolean;
}

/** Puts its share into the request. */
export type RequestProcessor = (step: StepContext) => void | Promise<void>;

/** Has its say about each answer of the model, twice: before it becomes an event, and after the event is out. */
export interface ResponseProcessor {
  /** Whether the agent uses it at all; asked once. */
  applies(agent: BaseLlmAgent): boolean;
  /**
   * The response as it becomes an event, pieces of a stream included. Changes made through the context go with that
   * event.
   */
  rewrite(step: StepContext, response: LlmResponse, callbacks: CallbackContext): LlmResponse | Promise<LlmResponse>;
  /**
   * What follows from a complete answer. The events of the first processor that has some are given, and then the model
   * is asked again.
   */
  followUp?(step: StepContext, answer: Event): AsyncIterable<Event> | undefined;
}
