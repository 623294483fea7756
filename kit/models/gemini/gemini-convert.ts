import type { GenerateContentConfig, GenerateContentParameters, GenerateContentResponse } from "@google/genai";
import type { Content, Part } from "#kit/events/content.ts";
import { CALL_ID_PREFIX } from "#kit/events/reserved-calls.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

export interface GeminiTarget {
  /** Vertex AI accepts some fields that the Gemini API refuses. */
  readonly vertexAi: boolean;
}

export function toGeminiRequest(
  request: WireRequest,
  target: GeminiTarget,
  signal: AbortSignal,
): GenerateContentParameters {
  const contents = request.contents.map(toGeminiContent);
  // Contents and settings have the JSON of the Gemini API; the SDK's types differ in enums and mutability only.
  return {
    model: request.model,
    contents,
    config: toGeminiConfig(request, target, signal),
  } as GenerateContentParameters;
}

function toGeminiConfig(request: WireRequest, target: GeminiTarget, signal: AbortSignal): GenerateContentConfig {
  const { modelTools = [], responseSchema, labels, httpOptions, ...settings } = request.config;
  const declarations = request.functionDeclarations.map(toGeminiDeclaration);
  const tools = [...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : []), ...modelTools];
  const config: object = present({
    ...settings,
    labels: labels !== undefined && target.vertexAi ? labels : undefined,
    // Only the timeout is passed on: the SDK would also accept an address and headers here, and send the key to that
    // address.
    httpOptions: typeof httpOptions?.timeout === "number" ? { timeout: httpOptions.timeout } : undefined,
    ...(responseSchema !== undefined && {
      responseMimeType: settings.responseMimeType ?? "application/json",
      responseJsonSchema: responseSchema,
    }),
    systemInstruction: request.systemInstruction !== "" ? request.systemInstruction : undefined,
    tools: tools.length > 0 ? tools : undefined,
    // The kit runs the tools.
    automaticFunctionCalling: { disable: true },
    abortSignal: signal,
  });
  // The same JSON under looser types.
  return config as GenerateContentConfig;
}

export function toGeminiDeclaration({ name, description, parameters, response }: FunctionDeclaration): JsonObject {
  return present({
    name,
    description,
    parametersJsonSchema: parameters,
    responseJsonSchema: response,
  });
}

/** The content itself if nothing has to change, as in most of a long history. */
export function toGeminiContent(content: Content): Content {
  const parts = content.parts ?? [];
  return parts.some(hasOwnId) ? { ...content, parts: parts.map(toGeminiPart) } : content;
}

function hasOwnId({ functionCall, functionResponse }: Part): boolean {
  return isOwnId(functionCall?.id) || isOwnId(functionResponse?.id);
}

function toGeminiPart(part: Part): Part {
  const { functionCall, functionResponse, ...rest } = part;
  return {
    ...rest,
    functionCall: functionCall && withoutOwnId(functionCall),
    functionResponse: functionResponse && withoutOwnId(functionResponse),
  };
}

/** Ids that the kit assigned to calls, which the model has never seen. */
function isOwnId(id: string | undefined): boolean {
  return id?.startsWith(CALL_ID_PREFIX) === true;
}

function withoutOwnId<Call extends { readonly id?: string }>(call: Call): Omit<Call, "id"> {
  if (!isOwnId(call.id)) return call;
  const { id: _, ...rest } = call;
  return rest;
}

export function fromGeminiResponse(response: GenerateContentResponse): StreamChunk {
  const { candidates, promptFeedback, usageMetadata, modelVersion } = response;
  const candidate = candidates?.[0];
  const { content, finishReason, finishMessage, groundingMetadata, citationMetadata, avgLogprobs } = candidate ?? {};
  const chunk: object = present({
    content: Array.isArray(content?.parts) ? { role: "model", parts: content.parts } : undefined,
    finishReason,
    errorMessage: finishMessage,
    groundingMetadata,
    citationMetadata,
    avgLogprobs,
    ...(candidate === undefined &&
      promptFeedback?.blockReason !== undefined && {
        errorCode: promptFeedback.blockReason,
        errorMessage: promptFeedback.blockReasonMessage ?? `The prompt was blocked: ${promptFeedback.blockReason}.`,
      }),
    usageMetadata: usageMetadata && withNumbers(usageMetadata),
    modelVersion,
  });
  // The SDK returns the API's JSON, which is the kit's; its types differ in enums and optional members.
  return chunk as StreamChunk;
}

/** JSON of Google's protocols may have numbers as text. */
export function withNumbers(counts: object): object {
  const entries = Object.entries(counts);
  if (!entries.some(([, count]) => typeof count === "string" && /^\d+$/.test(count))) return counts;
  return Object.fromEntries(
    entries.map(([name, count]) => [name, typeof count === "string" && /^\d+$/.test(count) ? Number(count) : count]),
  );
}
