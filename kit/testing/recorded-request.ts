import type { Content } from "../events/content.ts";
import type { GenerateOptions } from "../models/base-llm.ts";
import type { FunctionDeclaration, GenerateContentConfig, LlmRequest } from "../models/llm-request.ts";

/** The state of a request when the model got it. */
export interface RecordedRequest {
  readonly model: string;
  readonly contents: readonly Content[];
  readonly config: GenerateContentConfig;
  readonly systemInstruction: string;
  readonly functionDeclarations: readonly FunctionDeclaration[];
  readonly stream: boolean;
}

/** A copy of the request, which later steps may change. */
export function recordRequest(request: LlmRequest, { stream }: GenerateOptions): RecordedRequest {
  const { model, contents, config, systemInstruction, functionDeclarations } = request;
  return {
    model,
    contents: structuredClone(contents),
    config: structuredClone(config),
    systemInstruction,
    functionDeclarations,
    stream,
  };
}
