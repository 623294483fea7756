import { firstAnswer, ownLinks } from "#kit/core/compose.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { checkResponse } from "./check-response.ts";

/**
 * Whether the agent or a plugin has the hook: a stream has thousands of chunks, and an empty chain costs turns of the
 * microtask queue.
 */
export function watches(
  { agent, context }: StepContext,
  hook: "beforeModelCallback" | "afterModelCallback",
  isPartial?: boolean,
): boolean {
  const own = hook === "beforeModelCallback" ? agent.beforeModelCallbacks : agent.afterModelCallbacks;
  return own.length > 0 || pluginLinks(context, hook, isPartial).length > 0;
}

/** May change the request; a returned response replaces the model call. */
export async function beforeModel(step: StepContext, callbacks: CallbackContext): Promise<LlmResponse | undefined> {
  const { agent, context, request } = step;
  const links = [...pluginLinks(context, "beforeModelCallback"), ...ownLinks(agent.name, agent.beforeModelCallbacks)];
  return checked(await firstAnswer("beforeModelCallback", links, Object.assign(callbacks, { request }), request));
}

/**
 * The response that callbacks return instead, partial if the response is; the same object if none of them returns one.
 */
export async function afterModel(
  { agent, context }: StepContext,
  callbacks: CallbackContext,
  response: LlmResponse,
): Promise<LlmResponse> {
  const plugins = pluginLinks(context, "afterModelCallback", response.partial === true);
  const links = [...plugins, ...ownLinks(agent.name, agent.afterModelCallbacks)];
  const answer = checked(
    await firstAnswer("afterModelCallback", links, Object.assign(callbacks, { response }), response),
  );
  return answer === undefined ? response : keepStreamFields(answer, response);
}

/** A response instead of the failure, if a callback returns one. */
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

/** A replacement of a chunk is a chunk too, even if the callback leaves `partial` out. */
function keepStreamFields(answer: LlmResponse, response: LlmResponse): LlmResponse {
  if (response.partial === undefined || answer.partial !== undefined) return answer;
  return { ...answer, partial: response.partial };
}
