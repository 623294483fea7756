import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { MessageConversionException } from "#kit/errors/kit-errors.ts";
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
import type { JsonObject } from "#kit/platform/json.ts";

const DEFAULT_MAX_TOKENS = 8192;
// The API refuses a smaller budget.
const MIN_THINKING_TOKENS = 1024;

/** `outputSchema` is the request's schema in the narrower form that the API accepts. */
export function toClaudeRequest(
  request: WireRequest,
  outputSchema: JsonObject | undefined,
): MessageCreateParamsStreaming {
  refuseModelTools(request);
  const { config, functionDeclarations, systemInstruction } = request;
  return {
    model: request.model,
    stream: true,
    messages: toMessages(request.contents),
    ...(systemInstruction !== "" && { system: systemInstruction }),
    ...(functionDeclarations.length > 0 && { tools: functionDeclarations.map(toTool), ...toolChoice(request) }),
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.topP !== undefined && { top_p: config.topP }),
    ...(config.topK !== undefined && { top_k: config.topK }),
    ...(config.stopSequences !== undefined && { stop_sequences: [...config.stopSequences] }),
    ...(outputSchema !== undefined && {
      output_config: { format: { type: "json_schema" as const, schema: { ...outputSchema } } },
    }),
    ...thinkingAndLength(request),
  };
}

/** The API requires that users and assistants alternate. */
function toMessages(contents: readonly Content[]): MessageParam[] {
  const messages: { role: "user" | "assistant"; content: ContentBlockParam[] }[] = [];
  for (const content of contents) {
    const role = content.role === "model" ? "assistant" : "user";
    const blocks = (content.parts ?? []).flatMap((part) =>
      role === "user" ? toUserBlocks(part) : toAssistantBlocks(part),
    );
    if (blocks.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  for (const message of messages) if (message.role === "user") message.content = resultsFirst(message.content);
  return messages;
}

function resultsFirst(blocks: readonly ContentBlockParam[]): ContentBlockParam[] {
  const results = blocks.filter((block) => block.type === "tool_result");
  return results.length === 0 ? [...blocks] : [...results, ...blocks.filter((block) => block.type !== "tool_result")];
}

function toAssistantBlocks(part: Part): ContentBlockParam[] {
  if (part.thought === true) return toThinkingBlocks(part);
  if (part.functionCall !== undefined) {
    const { id, name, args } = numberedCall(part.functionCall);
    return [{ type: "tool_use", id: toToolUseId(id), name, input: args }];
  }
  // Assistant messages can only contain text; the note keeps the model aware of the file.
  if (part.inlineData !== undefined) return toTextBlocks(`[${part.inlineData.mimeType ?? "file"}]`);
  return toTextBlocks(textOfPart(part));
}

/** Thinking is sent back only with its original signature; thinking without text was redacted. */
function toThinkingBlocks({ text, thoughtSignature }: Part): ContentBlockParam[] {
  if (thoughtSignature === undefined) return [];
  return text === undefined
    ? [{ type: "redacted_thinking", data: thoughtSignature }]
    : [{ type: "thinking", thinking: text, signature: thoughtSignature }];
}

function toUserBlocks(part: Part): ContentBlockParam[] {
  if (part.thought === true) return [];
  if (part.functionResponse !== undefined) return [toToolResult(part.functionResponse)];
  return toMediaOrText(part);
}

function toMediaOrText(part: Part): (TextBlockParam | ImageBlockParam | DocumentBlockParam)[] {
  if (part.inlineData !== undefined) return toMediaBlocks(part.inlineData);
  if (part.fileData !== undefined) return [toFileBlock(part.fileData)];
  return toTextBlocks(textOfPart(part));
}

function textOfPart({ text, executableCode, codeExecutionResult }: Part): string {
  if (executableCode !== undefined) return codeText(executableCode);
  if (codeExecutionResult !== undefined) return codeResultText(codeExecutionResult);
  return text ?? "";
}

/** The API refuses blank text. */
function toTextBlocks(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toToolResult(response: FunctionResponse): ToolResultBlockParam {
  const text = responseText(response);
  const media = responseMedia(response).flatMap(toMediaOrText);
  return {
    type: "tool_result",
    tool_use_id: toToolUseId(responseId(response)),
    content: media.length === 0 ? text : [{ type: "text", text }, ...media],
    ...(response.response?.["error"] !== undefined && { is_error: true }),
  };
}

/** The API accepts letters, digits, `_` and `-` only. */
function toToolUseId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}

function toMediaBlocks(blob: Blob): (TextBlockParam | ImageBlockParam | DocumentBlockParam)[] {
  const { mimeType, data } = requiredData(blob);
  if (mimeType.startsWith("text/") || mimeType === "application/json") return toTextBlocks(decodeText(data));
  if (mimeType === "application/pdf")
    return [{ type: "document", source: { type: "base64", media_type: mimeType, data } }];
  if (mimeType === "image/jpeg" || mimeType === "image/png" || mimeType === "image/gif" || mimeType === "image/webp") {
    return [{ type: "image", source: { type: "base64", media_type: mimeType, data } }];
  }
  throw new MessageConversionException(
    `Claude takes no ${mimeType}. Send text, a PDF, or a JPEG, PNG, GIF or WebP image.`,
  );
}

function toFileBlock({ fileUri = "", mimeType = "" }: FileData): ImageBlockParam | DocumentBlockParam {
  if (/^https?:/.test(fileUri)) {
    if (mimeType.startsWith("image/")) return { type: "image", source: { type: "url", url: fileUri } };
    if (mimeType === "application/pdf") return { type: "document", source: { type: "url", url: fileUri } };
  }
  throw new MessageConversionException(
    `Claude takes files by http(s) URL for images and PDFs only, not ${mimeType || "a file of no type"}.`,
  );
}

function toTool({ name, description, parameters }: FunctionDeclaration): Tool {
  return { name, ...(description !== undefined && { description }), input_schema: { ...parameters, type: "object" } };
}

function toolChoice(request: WireRequest): Pick<MessageCreateParamsStreaming, "tool_choice"> {
  const { mode, only } = callingMode(request);
  if (mode === "ANY") return { tool_choice: only === undefined ? { type: "any" } : { type: "tool", name: only } };
  if (mode === "NONE") return { tool_choice: { type: "none" } };
  return {};
}

/** A budget of 0 turns thinking off, a negative one leaves it to the model. `max_tokens` covers thinking and answer. */
function thinkingAndLength({ config }: WireRequest): { max_tokens: number; thinking?: ThinkingConfigParam } {
  const length = config.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const budget = config.thinkingConfig?.["thinkingBudget"];
  if (typeof budget !== "number") return { max_tokens: length };
  if (budget === 0) return { max_tokens: length, thinking: { type: "disabled" } };
  if (budget < 0) return { max_tokens: length, thinking: { type: "adaptive" } };
  const tokens = Math.max(budget, MIN_THINKING_TOKENS);
  return {
    max_tokens: length > tokens ? length : tokens + length,
    thinking: { type: "enabled", budget_tokens: tokens },
  };
}
