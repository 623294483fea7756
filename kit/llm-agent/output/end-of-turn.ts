import { type Event, finalResponse } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { transferToAgent } from "#kit/llm-agent/transfer/transfer-to-agent.ts";
import { structuredAnswer } from "./structured-answer.ts";

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
