import type { BaseTool } from "#kit/core/base-tool.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { type Content, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { beforeModel, watches } from "#kit/llm-agent/model-call/model-callbacks.ts";
import { toModelEvent } from "#kit/llm-agent/model-call/to-model-event.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/**
 * Passes what the user has written or said to the callbacks before the model, as a request with this content only.
 * Returns the answer of a callback that blocks it.
 */
export async function screenContent(step: StepContext, content: Content): Promise<LlmResponse | undefined> {
  if (!watches(step, "beforeModelCallback")) return undefined;
  const { model, config, systemInstructions, tools } = step.request;
  const request = new LlmRequest<BaseTool>({ model, contents: [content], config });
  request.appendInstructions(...systemInstructions);
  request.appendTools(...tools.values());
  const { context } = step;
  return beforeModel({ ...step, request }, new CallbackContext(context, undefined, context.services.ids.next()));
}

/** The same for the transcript of what the user has said. */
export function spokenContentBlocked(step: StepContext, text: string): Promise<LlmResponse | undefined> {
  return screenContent(step, userContent(text));
}

/** The event of a blocked turn of the user. */
export function blockedEvent(step: StepContext, { partial: _, ...answer }: LlmResponse): Event {
  return toModelEvent(step, { ...answer, turnComplete: true }, { id: step.context.services.ids.next() });
}
