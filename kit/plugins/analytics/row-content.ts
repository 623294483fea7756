import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { Content, Part } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** The content of a row before it is cleaned: an object for the column `content`, and the parts behind it. */
export interface RowContent {
  readonly value: unknown;
  readonly parts: readonly Part[];
}

const NO_PARTS: readonly Part[] = [];

/** A content without media. */
export function plain(value: unknown): RowContent {
  return { value, parts: NO_PARTS };
}

/** A message or an answer: its texts, and names for its other parts. */
export function ofMessage({ parts = NO_PARTS }: Content): RowContent {
  return { value: { text_summary: summaryOf(parts) }, parts };
}

/** The prompt of a model call, one entry for each message. */
export function ofRequest({ contents, systemInstruction }: ToolLlmRequest): RowContent {
  const prompt = contents.map(({ role, parts = NO_PARTS }) => ({ role, content: summaryOf(parts) }));
  const value = { prompt, system_prompt: systemInstruction };
  return { value, parts: contents.some(hasMedia) ? contents.flatMap(({ parts = NO_PARTS }) => parts) : NO_PARTS };
}

/** An answer of a model and the tokens of the call. */
export function ofResponse({ content, usageMetadata }: LlmResponse): RowContent {
  const parts = content?.parts ?? NO_PARTS;
  const usage = usageMetadata && {
    prompt: usageMetadata.promptTokenCount,
    completion: usageMetadata.candidatesTokenCount,
    total: usageMetadata.totalTokenCount,
  };
  const response = parts.length === 0 ? undefined : parts.map(labelled).join(" | ");
  return { value: { response, usage }, parts };
}

function hasMedia({ parts = NO_PARTS }: Content): boolean {
  return parts.some(({ inlineData, fileData }) => inlineData !== undefined || fileData !== undefined);
}

function summaryOf(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only?.text !== undefined) return only.text;
  return parts.map((part) => part.text ?? labelled(part)).join(" | ");
}

function labelled({ text, functionCall, functionResponse, inlineData, fileData }: Part): string {
  if (text !== undefined) return `text: '${text}'`;
  if (functionCall !== undefined) return `call: ${functionCall.name}`;
  if (functionResponse !== undefined) return `resp: ${functionResponse.name}`;
  const mimeType = inlineData?.mimeType ?? fileData?.mimeType;
  return mimeType === undefined ? "other" : `file: ${mimeType}`;
}
