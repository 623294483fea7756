import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { modelContent } from "#kit/events/content.ts";
import { type Event, finalResponse } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { transferToAgent } from "#kit/llm-agent/transfer/transfer-to-agent.ts";

/** The last events of an agent's turn; may be empty. */
export type EndOfTurn = Iterable<Event> | AsyncIterable<Event>;

/**
 * The end of the turn, if the responses of its tools end it; undefined if they are sent to the model, which is called
 * again.
 */
export function endOfTurn(step: StepContext, responses: Event): EndOfTurn | undefined {
  const structured = structuredAnswer(step, responses);
  if (structured !== undefined) return [structured];
  const { transferToAgent: target } = responses.actions;
  if (target !== undefined) return transferToAgent(step, target);
  return finalResponse(responses) || step.context.endInvocation ? [] : undefined;
}

/**
 * The agent's final response, if one of the tools that have just run received it: its JSON as text, also saved under
 * the output key.
 */
export function structuredAnswer(
  { agent, context }: Pick<StepContext, "agent" | "context">,
  responses: Event,
): Event | undefined {
  const value = responses.actions.setModelResponse;
  if (value === undefined || agent.outputSchema === undefined) return undefined;
  const callbacks = new CallbackContext(context);
  if (agent.outputKey !== undefined) callbacks.state.set(agent.outputKey, value);
  return context.createEvent({ content: modelContent(JSON.stringify(value)), actions: callbacks.eventActions });
}
