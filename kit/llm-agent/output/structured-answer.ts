import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";

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
