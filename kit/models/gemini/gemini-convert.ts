import type { GenerateContentConfig, GenerateContentParameters, GenerateContentResponse } from "@google/genai";
import type { Blob, Content, FileData, Part } from "#kit/events/content.ts";
import { CALL_ID_PREFIX } from "#kit/events/reserved-calls.ts";
import { CONTINUE_MESSAGE } from "#kit/models/continue-message.ts";
import type { FunctionDeclaration, LlmRequest } from "#kit/models/llm-request.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import type { JsonObject } from "#kit/platform/json.ts";

export interface GeminiTarget {
  /** Vertex AI accepts some fields that the Gemini API refuses. */
  readonly vertexAi: boolean;
}

export function toGeminiRequest(
  request: LlmRequest,
  target: GeminiTarget,
  signal: AbortSignal,
): GenerateContentParameters {
  const contents = request.contents
    .filter((content) => (content.parts?.length ?? 0) > 0)
    .map((content) => toGeminiContent(content, target));
  if (contents.at(-1)?.role !== "user") contents.push(CONTINUE_MESSAGE);
  // The API refuses a function call that does not follow the user.
  if (contents[0]?.role !== "user") contents.unshift(CONTINUE_MESSAGE);
  // Contents and settings have the JSON of the Gemini API; the SDK's types differ in enums and mutability only.
  return {
    model: request.model,
    contents,
    config: toGeminiConfig(request, target, signal),
  } as GenerateContentParameters;
}

function toGeminiConfig(request: LlmRequest, target: GeminiTarget, signal: AbortSignal): GenerateContentConfig {
  const { modelTools = [], responseSchema, labels, httpOptions, ...settings } = request.config;
  const declarations = request.functionDeclarations.map(toGeminiDeclaration);
  const tools = [...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : []), ...modelTools];
  const config: object = {
    ...settings,
    ...(labels !== undefined && target.vertexAi && { labels }),
    // Only the timeout is passed on: the SDK would also accept an address and headers here, and send the key to that
    // address.
    ...(typeof httpOptions?.timeout === "number" && { httpOptions: { timeout: httpOptions.timeout } }),
    ...(responseSchema !== undefined && {
      responseMimeType: settings.responseMimeType ?? "application/json",
      responseJsonSchema: withoutDialect(responseSchema),
    }),
    ...(request.systemInstruction !== "" && { systemInstruction: request.systemInstruction }),
    ...(tools.length > 0 && { tools }),
    // The kit runs the tools.
    automaticFunctionCalling: { disable: true },
    abortSignal: signal,
  };
  // The same JSON under looser types.
  return config as GenerateContentConfig;
}

function toGeminiDeclaration({ name, description, parameters, response }: FunctionDeclaration): JsonObject {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parametersJsonSchema: withoutDialect(parameters) }),
    ...(response !== undefined && { responseJsonSchema: withoutDialect(response) }),
  };
}

function withoutDialect({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema;
}

/** The content itself if nothing has to change, as in most of a long history. */
function toGeminiContent(content: Content, target: GeminiTarget): Content {
  const parts = content.parts ?? [];
  return parts.some((part) => changes(part, target))
    ? { ...content, parts: parts.map((part) => toGeminiPart(part, target)) }
    : content;
}

function changes(part: Part, { vertexAi }: GeminiTarget): boolean {
  if (isOwnId(part.functionCall?.id) || isOwnId(part.functionResponse?.id)) return true;
  return !vertexAi && (part.inlineData?.displayName !== undefined || part.fileData?.displayName !== undefined);
}

function toGeminiPart(part: Part, target: GeminiTarget): Part {
  if (!changes(part, target)) return part;
  const { functionCall, functionResponse, inlineData, fileData, ...rest } = part;
  return {
    ...rest,
    ...(functionCall !== undefined && { functionCall: withoutOwnId(functionCall) }),
    ...(functionResponse !== undefined && { functionResponse: withoutOwnId(functionResponse) }),
    ...(inlineData !== undefined && { inlineData: target.vertexAi ? inlineData : withoutDisplayName(inlineData) }),
    ...(fileData !== undefined && { fileData: target.vertexAi ? fileData : withoutDisplayName(fileData) }),
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

function withoutDisplayName<Data extends Blob | FileData>({
  displayName: _,
  ...data
}: Data): Omit<Data, "displayName"> {
  return data;
}

export function fromGeminiResponse(response: GenerateContentResponse): StreamChunk {
  const { candidates, promptFeedback, usageMetadata, modelVersion } = response;
  const candidate = candidates?.[0];
  const chunk: object = {
    ...(candidate?.content?.parts !== undefined && { content: { role: "model", parts: candidate.content.parts } }),
    ...(candidate?.finishReason !== undefined && { finishReason: candidate.finishReason }),
    ...(candidate?.finishMessage !== undefined && { errorMessage: candidate.finishMessage }),
    ...(candidate?.groundingMetadata !== undefined && { groundingMetadata: candidate.groundingMetadata }),
    ...(candidate?.citationMetadata !== undefined && { citationMetadata: candidate.citationMetadata }),
    ...(candidate?.avgLogprobs !== undefined && { avgLogprobs: candidate.avgLogprobs }),
    ...(candidate === undefined &&
      promptFeedback?.blockReason !== undefined && {
        errorCode: promptFeedback.blockReason,
        errorMessage: promptFeedback.blockReasonMessage ?? `The prompt was blocked: ${promptFeedback.blockReason}.`,
      }),
    ...(usageMetadata !== undefined && { usageMetadata }),
    ...(modelVersion !== undefined && { modelVersion }),
  };
  // The SDK returns the API's JSON, which is the kit's; its types differ in enums and optional members.
  return chunk as StreamChunk;
}
