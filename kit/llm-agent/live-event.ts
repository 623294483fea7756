import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { StepContext } from "./base/step-context.ts";
import { toModelEvent } from "./model-call/to-model-event.ts";

/**
 * Makes an event of a model's response on a live connection. Media and unfinished transcriptions are streamed and not
 * stored.
 */
export function toLiveEvent(
  step: StepContext,
  response: LlmResponse,
  { eventActions, eventId }: CallbackContext,
): Event {
  const { context } = step;
  if (response.usageMetadata !== undefined) context.addUsage(response.usageMetadata);
  const passing = isMedia(step, response) || isUnfinished(response);
  const id = eventId ?? context.services.ids.next();
  if (passing) return toModelEvent(step, { ...response, partial: true }, { id });
  return toModelEvent(step, response, { id, actions: eventActions, outputKey: step.agent.outputKey });
}

function isMedia({ context }: StepContext, { content }: LlmResponse): boolean {
  if (context.runConfig.saveLiveBlob === true) return false;
  return content?.parts?.some((part) => part.inlineData !== undefined) === true;
}

function isUnfinished({ content, inputTranscription, outputTranscription }: LlmResponse): boolean {
  const transcription = inputTranscription ?? outputTranscription;
  return content === undefined && transcription !== undefined && transcription.finished !== true;
}
