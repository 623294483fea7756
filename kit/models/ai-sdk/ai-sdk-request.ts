import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { Blob, Content, FileData, FunctionResponse, Part } from "#kit/events/content.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import {
  callingMode,
  codeResultText,
  codeText,
  decodeText,
  numberedCall,
  refuseModelTools,
  requiredData,
  responseId,
  responseMedia,
  responseText,
} from "#kit/models/message-parts.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { isOwnPart, providerOptionsOf } from "./provider-metadata.ts";

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;

export interface AiSdkTarget {
  /** The provider's name, as in `LanguageModelV4.provider`. */
  readonly provider: string;
  /** Whether files are sent; a note stands for each if not. */
  readonly withFiles: boolean;
}

export function toCallOptions(request: WireRequest, target: AiSdkTarget): LanguageModelV4CallOptions {
  refuseModelTools(request);
  const { config, functionDeclarations } = request;
  return {
    prompt: [...systemMessage(request), ...toMessages(request.contents, target)],
    maxOutputTokens: config.maxOutputTokens,
    temperature: config.temperature,
    topP: config.topP,
    topK: config.topK,
    stopSequences: config.stopSequences && [...config.stopSequences],
    presencePenalty: config.presencePenalty,
    frequencyPenalty: config.frequencyPenalty,
    seed: config.seed,
    ...responseFormat(request),
    ...reasoning(config.thinkingConfig ?? {}),
    ...(functionDeclarations.length > 0 && { tools: functionDeclarations.map(toTool), ...toolChoice(request) }),
  };
}

function systemMessage({ systemInstruction }: WireRequest): LanguageModelV4Message[] {
  return systemInstruction === "" ? [] : [{ role: "system", content: systemInstruction }];
}

function toMessages(contents: readonly Content[], target: AiSdkTarget): LanguageModelV4Message[] {
  return contents.flatMap(({ role, parts = [] }) =>
    role === "model" ? assistantMessage(parts, target) : userMessages(parts, target),
  );
}

function assistantMessage(parts: readonly Part[], target: AiSdkTarget): LanguageModelV4Message[] {
  const content = parts.flatMap((part) => assistantParts(part, target));
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

/** Thoughts of other models are left out: their signatures mean nothing to this one. */
function assistantParts(part: Part, target: AiSdkTarget): Assistant["content"] {
  const options = providerOptionsOf(part, target.provider);
  if (part.functionCall !== undefined) {
    const { id, name, args } = numberedCall(part.functionCall);
    return [{ type: "tool-call", toolCallId: id, toolName: name, input: args, ...options }];
  }
  if (part.thought === true) {
    const { text } = part;
    return text === undefined || !isOwnPart(part, target.provider) ? [] : [{ type: "reasoning", text, ...options }];
  }
  if (part.inlineData !== undefined) {
    const isSent = target.withFiles && isOwnPart(part, target.provider);
    return [isSent ? { ...toFile(part.inlineData), ...options } : note(part.inlineData)];
  }
  const text = textOfPart(part);
  return text.trim() === "" && options === undefined ? [] : [{ type: "text", text, ...options }];
}

/** Responses of tools come first: they must directly follow the calls. */
function userMessages(parts: readonly Part[], target: AiSdkTarget): LanguageModelV4Message[] {
  const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const said = [...parts.filter((part) => part.functionResponse === undefined), ...results.flatMap(responseMedia)];
  const content = said.flatMap((part) => userParts(part, target));
  return [
    ...(results.length === 0 ? [] : [{ role: "tool" as const, content: results.map(toToolResult) }]),
    ...(content.length === 0 ? [] : [{ role: "user" as const, content }]),
  ];
}

function userParts(part: Part, target: AiSdkTarget): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (part.thought === true) return [];
  if (part.inlineData !== undefined) {
    if (isText(part.inlineData)) return [{ type: "text", text: decodeText(requiredData(part.inlineData).data) }];
    return [target.withFiles ? toFile(part.inlineData) : note(part.inlineData)];
  }
  if (part.fileData !== undefined) return [toLinkedFile(part.fileData, target)];
  const text = textOfPart(part);
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function textOfPart({ text, executableCode, codeExecutionResult }: Part): string {
  if (executableCode !== undefined) return codeText(executableCode);
  if (codeExecutionResult !== undefined) return codeResultText(codeExecutionResult);
  return text ?? "";
}

function isText({ mimeType = "" }: Blob): boolean {
  return /^(text\/|application\/(json|xml|yaml|x-yaml|csv)\b)/i.test(mimeType);
}

function toFile(blob: Blob): LanguageModelV4FilePart {
  const { mimeType, data } = requiredData(blob);
  const name = blob.displayName;
  return {
    type: "file",
    mediaType: mimeType,
    data: { type: "data", data },
    filename: name,
  };
}

function toLinkedFile(
  { fileUri = "", mimeType = "", displayName }: FileData,
  { withFiles }: AiSdkTarget,
): LanguageModelV4FilePart | LanguageModelV4TextPart {
  const url = URL.parse(fileUri);
  if (url === null || !withFiles) return note({ mimeType, displayName: displayName ?? fileUri });
  const data = { type: "url", url, originalUrl: fileUri } as const;
  return { type: "file", mediaType: mimeType === "" ? "application/octet-stream" : mimeType, data };
}

function note({
  mimeType = "",
  displayName = "",
}: Pick<Blob, "mimeType"> & { readonly displayName?: string | undefined }): LanguageModelV4TextPart {
  const what = [displayName, mimeType].filter((text) => text !== "").join(", ");
  return { type: "text", text: `[A file that cannot be shown here: ${what === "" ? "of unknown type" : what}]` };
}

function toToolResult(response: FunctionResponse): LanguageModelV4ToolResultPart {
  const isError = response.response?.["error"] !== undefined;
  return {
    type: "tool-result",
    toolCallId: responseId(response),
    toolName: response.name ?? "",
    output: { type: isError ? "error-text" : "text", value: responseText(response) },
  };
}

function toTool({ name, description, parameters }: FunctionDeclaration): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name,
    description,
    // JSON Schema under the type of one of its versions.
    inputSchema: {
      ...(parameters ?? { properties: {} }),
      type: "object",
    } as LanguageModelV4FunctionTool["inputSchema"],
  };
}

function toolChoice(request: WireRequest): Pick<LanguageModelV4CallOptions, "toolChoice"> {
  const { mode, only } = callingMode(request);
  if (mode === "ANY")
    return { toolChoice: only === undefined ? { type: "required" } : { type: "tool", toolName: only } };
  return mode === "NONE" ? { toolChoice: { type: "none" } } : {};
}

function responseFormat({ config }: WireRequest): Pick<LanguageModelV4CallOptions, "responseFormat"> {
  const { responseSchema, responseMimeType } = config;
  if (responseSchema !== undefined) {
    const schema = { ...responseSchema } as LanguageModelV4FunctionTool["inputSchema"];
    return { responseFormat: { type: "json", name: "response", schema } };
  }
  return responseMimeType === "application/json" ? { responseFormat: { type: "json" } } : {};
}

/** A level goes to each provider in its own form; a budget other than 0 has no form that all of them know. */
function reasoning(config: {
  readonly thinkingLevel?: JsonValue;
  readonly thinkingBudget?: JsonValue;
}): Pick<LanguageModelV4CallOptions, "reasoning"> {
  const level = typeof config.thinkingLevel === "string" ? config.thinkingLevel.toLowerCase() : "";
  if (level === "minimal" || level === "low" || level === "medium" || level === "high") return { reasoning: level };
  return config.thinkingBudget === 0 ? { reasoning: "none" } : {};
}
