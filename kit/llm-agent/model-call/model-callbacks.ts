import { firstAnswer, ownLinks } from "#kit/core/compose.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { checkResponse } from "./check-response.ts";

/**
 * Whether anybody has that hook: pieces come by the thousand, and a chain of nobody costs turns of the microtask queue.
 */
export function watches({ agent, context }: StepContext, hook: "beforeModelCallback" | "afterModelCallback"): boolean {
  const own = hook === "beforeModelCallback" ? agent.beforeModelCallbacks : agent.afterModelCallbacks;
  return own.length > 0 || pluginLinks(context, hook).length > 0;
}

/** May change the request; a response given takes the place of the model's. */
export async function beforeModel(step: StepContext, callbacks: CallbackContext): Promise<LlmResponse | undefined> {
  const { agent, context, request } = step;
  const links = [...pluginLinks(context, "beforeModelCallback"), ...ownLinks(agent.name, agent.beforeModelCallbacks)];
  return checked(await firstAnswer("beforeModelCallback", links, callbacks, request));
}

/** The response as callbacks want it, still a piece when it was one; the same object when none of them answers. */
export async function afterModel(
  { agent, context }: StepContext,
  callbacks: CallbackContext,
  response: LlmResponse,
): Promise<LlmResponse> {
  const links = [...pluginLinks(context, "afterModelCallback"), ...ownLinks(agent.name, agent.afterModelCallbacks)];
  const answer = checked(await firstAnswer("afterModelCallback", links, callbacks, response));
  return answer === undefined ? response : keepStreamFields(answer, response);
}

/** A response in place of the failure, if a callback has one. */
export async function onModelError(
  { agent, context, request }: StepContext,
  callbacks: CallbackContext,
  error: Error,
): Promise<LlmResponse | undefined> {
  const links = [...pluginLinks(context, "onModelErrorCallback"), ...ownLinks(agent.name, agent.onModelErrorCallbacks)];
  return checked(await firstAnswer("onModelErrorCallback", links, callbacks, request, error));
}

function checked(answer: LlmResponse | undefined): LlmResponse | undefined {
  return answer === undefined ? undefined : checkResponse(answer);
}

/** A replacement of a streamed piece stays a piece, whatever the callback left out. */
function keepStreamFields(answer: LlmResponse, response: LlmResponse): LlmResponse {
  if (response.partial === undefined || answer.partial !== undefined) return answer;
  return { ...answer, partial: response.partial };
}
