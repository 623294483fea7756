import type { JsonObject, JsonValue } from "../platform/json.ts";

/** A message: its role (`user` or `model`) and its parts. The JSON equals the Gemini API's `Content`. */
export interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

/**
 * One part of a message. Exactly one data member is set, plus decorations. The JSON equals the Gemini API's `Part`;
 * unknown members are passed through unchanged.
 */
export interface Part {
  readonly text?: string;
  /** Decoration: the part is the model's thinking, not its answer. */
  readonly thought?: boolean;
  /** Decoration: opaque base64 that must be sent back to the model with the part. */
  readonly thoughtSignature?: string;
  readonly inlineData?: Blob;
  readonly fileData?: FileData;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
  readonly executableCode?: ExecutableCode;
  readonly codeExecutionResult?: CodeExecutionResult;
  readonly videoMetadata?: JsonObject;
  readonly mediaResolution?: JsonObject;
  readonly toolCall?: JsonObject;
  readonly toolResponse?: JsonObject;
  readonly partMetadata?: JsonObject;
  readonly audioTranscription?: JsonValue;
  readonly mediaProcessing?: JsonValue;
  readonly speechMetadata?: JsonValue;
}

/** Data inside a message, such as an image. */
export interface Blob {
  readonly mimeType?: string;
  /** Standard base64 with padding. The gateway also accepts input without padding or in the URL-safe alphabet. */
  readonly data?: string;
  readonly displayName?: string;
}

/** Data that a message refers to by its address. */
export interface FileData {
  readonly fileUri?: string;
  readonly mimeType?: string;
  readonly displayName?: string;
}

/** A call of a tool by the model. */
export interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: JsonObject;
  /** Streamed arguments, in chunks; only on partial events. */
  readonly partialArgs?: readonly JsonObject[];
  readonly willContinue?: boolean;
}

/** The response to a call of a tool, with the call's id. */
export interface FunctionResponse {
  readonly id?: string;
  readonly name?: string;
  readonly response?: JsonObject;
  readonly scheduling?: string;
  readonly willContinue?: boolean;
  readonly parts?: readonly JsonObject[];
}

/** Code that the model wrote to be run. */
export interface ExecutableCode {
  readonly language?: string;
  readonly code?: string;
  readonly id?: string;
}

/** The result of an execution of the model's code. */
export interface CodeExecutionResult {
  readonly outcome?: "OUTCOME_OK" | "OUTCOME_FAILED" | "OUTCOME_DEADLINE_EXCEEDED" | "OUTCOME_UNSPECIFIED";
  readonly output?: string;
  readonly id?: string;
}

/** Token counts as the model reports them; keys as in the Gemini API. */
export interface UsageMetadata {
  readonly promptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly totalTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly [key: string]: JsonValue | undefined;
}

/** Spoken words as text, of a live connection. */
export interface Transcription {
  readonly text?: string;
  readonly finished?: boolean;
}

/** The text of all parts that are not thoughts, joined; empty if there is none. */
export function textOf(content: Content | undefined): string {
  let text = "";
  for (const part of content?.parts ?? []) if (part.text !== undefined && part.thought !== true) text += part.text;
  return text;
}

/** A message of the user with one part of text. */
export function userContent(text: string): Content {
  return { role: "user", parts: [{ text }] };
}

/** A message of the model with one part of text. */
export function modelContent(text: string): Content {
  return { role: "model", parts: [{ text }] };
}

/** Whether the content is a message of the user, and not the responses to calls, which have the same role. */
export function isMessage(content: Content | undefined): boolean {
  return content?.role === "user" && content.parts?.some((part) => part.functionResponse !== undefined) !== true;
}
