import { PlatformError } from "#kit/errors/platform-error.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { boundedModel } from "#kit/models/bounds/bounded-model.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { AskJudge } from "../metrics/judge.ts";

interface Prompt {
  readonly model: string;
  readonly config?: JsonObject | undefined;
  readonly prompt: string;
}

/** A judge that asks models by their names. `resolve` throws a `PlatformError` for a name without a model. */
export function createModelJudge(resolve: (name: string) => BaseLlm): AskJudge {
  return (call, signal) => askModel(resolve, call, signal);
}

/** Sends a prompt, without streaming, and returns the text of the answer. Throws a `PlatformError` if the model fails. */
export async function askModel(
  resolve: (name: string) => BaseLlm,
  { model: name, config = {}, prompt }: Prompt,
  signal: AbortSignal,
): Promise<string> {
  const model = resolve(name);
  const request = new LlmRequest({ model: model.model, contents: [userContent(prompt)], config });
  let text = "";
  for await (const response of boundedModel(model).generateContentAsync(request, { stream: false, signal })) {
    if (response.errorCode !== undefined)
      throw new PlatformError(
        "MODEL_UNAVAILABLE",
        `${name} did not answer: ${response.errorMessage ?? response.errorCode}`,
      );
    text += textOf(response.content);
  }
  return text;
}
