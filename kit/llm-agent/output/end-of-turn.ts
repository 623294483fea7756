import { type Event, finalResponse } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { transferToAgent } from "#kit/llm-agent/transfer/transfer-to-agent.ts";
import { structuredAnswer } from "./structured-answer.ts";

/** The last events of an agent's turn; none when everything is said. */
export type EndOfTurn = Iterable<Event> | AsyncIterable<Event>;

/** How the turn ends with what its tools have answered; undefined when the model is to be told, and asked again. */
export function endOfTurn(step: StepContext, responses: Event): EndOfTurn | undefined {
  const structured = structuredAnswer(step, responses);
  if (structured !== undefined) return [structured];
  const { transferToAgent: target } = responses.actions;
  if (target !== undefined) return transferToAgent(step, target);
  return finalResponse(responses) || step.context.endInvocation ? [] : undefined;
}
