import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { MessageConversionException } from "#kit/errors/kit-errors.ts";
import type { Blob, Content, FileData, Part } from "#kit/events/content.ts";
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
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { type ReasoningRule, reasoningContent, reasoningDetails } from "./openai-message.ts";

export function toOpenAiRequest(
  request: WireRequest,
  reasoning: ReasoningRule = "own",
): Omit<ChatCompletionCreateParams, "stream"> {
  refuseModelTools(request);
  const { config, functionDeclarations } = request;
  return {
    model: request.model,
    messages: [...systemMessage(request), ...request.contents.flatMap((content) => toMessages(content, reasoning))],
    ...(functionDeclarations.length > 0 && { tools: functionDeclarations.map(toTool), ...toolChoice(request) }),
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.topP !== undefined && { top_p: config.topP }),
    ...(config.stopSequences !== undefined && { stop: [...config.stopSequences] }),
    ...(config.presencePenalty !== undefined && { presence_penalty: config.presencePenalty }),
    ...(config.frequencyPenalty !== undefined && { frequency_penalty: config.frequencyPenalty }),
    ...(config.seed !== undefined && { seed: config.seed }),
    ...responseFormat(request),
    ...reasoningEffort(config.thinkingConfig?.["thinkingLevel"]),
  };
}

/** Models named o1, o3 … have a developer message in place of the system message. */
function systemMessage({ model, systemInstruction }: WireRequest): ChatCompletionMessageParam[] {
  if (systemInstruction === "") return [];
  return [{ role: /^o\d/.test(model) ? "developer" : "system", content: systemInstruction }];
}

function toMessages(content: Content, reasoning: ReasoningRule): ChatCompletionMessageParam[] {
  const parts = content.parts ?? [];
  return content.role === "model" ? assistantMessage(parts, reasoning) : userMessages(parts);
}

function assistantMessage(parts: readonly Part[], rule: ReasoningRule): ChatCompletionMessageParam[] {
  const text = parts.map(assistantText).join("");
  const calls = parts.filter((part) => part.functionCall !== undefined).map(toToolCall);
  if (text === "" && calls.length === 0) return [];
  const reasoning = reasoningContent(parts, rule);
  const details = reasoningDetails(parts);
  // The SDK's type lacks the additions of compatible servers.
  const message: ChatCompletionAssistantMessageParam & {
    readonly reasoning_content?: string;
    readonly reasoning_details?: readonly JsonObject[];
  } = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return [message];
}

function assistantText(part: Part): string {
  if (part.thought === true) return "";
  if (part.executableCode !== undefined) return codeText(part.executableCode);
  if (part.codeExecutionResult !== undefined) return codeResultText(part.codeExecutionResult);
  // Assistant messages of this protocol can only contain text; the note keeps the model aware of the file.
  if (part.inlineData !== undefined) return `[${part.inlineData.mimeType ?? "file"}]`;
  return part.text ?? "";
}

function toToolCall({ functionCall = {}, thoughtSignature }: Part): ChatCompletionMessageFunctionToolCall {
  const { id, name, args } = numberedCall(functionCall);
  return {
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
    // Gemini models expect their signatures in this member of the protocol.
    ...(thoughtSignature !== undefined && { extra_content: { google: { thought_signature: thoughtSignature } } }),
  };
}

/** Responses of tools come first: they must directly follow the calls. */
function userMessages(parts: readonly Part[]): ChatCompletionMessageParam[] {
  const answers: ChatCompletionMessageParam[] = [];
  const said: ChatCompletionContentPart[] = [];
  for (const part of parts) {
    const { functionResponse } = part;
    if (functionResponse === undefined) {
      const converted = toContentPart(part);
      if (converted !== undefined) said.push(converted);
      continue;
    }
    answers.push({ role: "tool", tool_call_id: responseId(functionResponse), content: responseText(functionResponse) });
    for (const media of responseMedia(functionResponse))
      said.push(...[toContentPart(media)].filter((part) => part !== undefined));
  }
  if (said.length === 0) return answers;
  const [only] = said;
  const content = said.length === 1 && only?.type === "text" ? only.text : said;
  return [...answers, { role: "user", content }];
}

function toContentPart(part: Part): ChatCompletionContentPart | undefined {
  if (part.thought === true) return undefined;
  if (part.text !== undefined) return { type: "text", text: part.text };
  if (part.inlineData !== undefined) return toMediaPart(part.inlineData);
  if (part.fileData !== undefined) return toFilePart(part.fileData);
  if (part.executableCode !== undefined) return { type: "text", text: codeText(part.executableCode) };
  if (part.codeExecutionResult !== undefined) return { type: "text", text: codeResultText(part.codeExecutionResult) };
  return undefined;
}

function toMediaPart(blob: Blob): ChatCompletionContentPart {
  const { mimeType, data } = requiredData(blob);
  const url = `data:${mimeType};base64,${data}`;
  if (mimeType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  if (mimeType.startsWith("text/") || mimeType === "application/json") return { type: "text", text: decodeText(data) };
  if (/^audio\/(x-)?wave?$/.test(mimeType)) return { type: "input_audio", input_audio: { data, format: "wav" } };
  if (mimeType === "audio/mpeg" || mimeType === "audio/mp3")
    return { type: "input_audio", input_audio: { data, format: "mp3" } };
  if (mimeType === "application/pdf")
    return { type: "file", file: { filename: blob.displayName ?? "document.pdf", file_data: url } };
  throw new MessageConversionException(
    `OpenAI-compatible models take no ${mimeType}. Send an image, text, PDF, WAV or MP3.`,
  );
}

function toFilePart({ fileUri = "", mimeType = "" }: FileData): ChatCompletionContentPart {
  if (/^https?:/.test(fileUri) && mimeType.startsWith("image/"))
    return { type: "image_url", image_url: { url: fileUri } };
  throw new MessageConversionException(
    `OpenAI-compatible models take files by http(s) URL for images only, not ${mimeType || "a file of no type"}.`,
  );
}

function toTool({ name, description, parameters }: FunctionDeclaration): ChatCompletionTool {
  return {
    type: "function",
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: { ...(parameters ?? { type: "object", properties: {} }) },
    },
  };
}

function toolChoice(request: WireRequest): Pick<ChatCompletionCreateParams, "tool_choice"> {
  const { mode, only } = callingMode(request);
  if (mode === "ANY")
    return { tool_choice: only === undefined ? "required" : { type: "function", function: { name: only } } };
  if (mode === "NONE") return { tool_choice: "none" };
  return {};
}

function responseFormat({ config, strictOutput }: WireRequest): Pick<ChatCompletionCreateParams, "response_format"> {
  const { responseSchema, responseMimeType } = config;
  if (responseSchema !== undefined) {
    return {
      response_format: {
        type: "json_schema",
        json_schema: { name: "response", schema: { ...responseSchema }, strict: strictOutput },
      },
    };
  }
  return responseMimeType === "application/json" ? { response_format: { type: "json_object" } } : {};
}

function reasoningEffort(level: JsonValue | undefined): Pick<ChatCompletionCreateParams, "reasoning_effort"> {
  const effort = typeof level === "string" ? level.toLowerCase() : "";
  return effort === "minimal" || effort === "low" || effort === "medium" || effort === "high"
    ? { reasoning_effort: effort }
    : {};
}
