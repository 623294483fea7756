import type { GenerateContentConfig } from "./llm-request.ts";

/** How providers name the settings of a request. */
const NAMES: Readonly<Record<string, RegExp>> = {
  temperature: /temperature/i,
  topP: /top_?p\b/i,
  topK: /top_?k\b/i,
  maxOutputTokens: /max_?(output_?|completion_?)?tokens/i,
  stopSequences: /\bstop\b|stop_?sequences/i,
  presencePenalty: /presence_?penalty/i,
  frequencyPenalty: /frequency_?penalty/i,
  seed: /\bseed\b/i,
  thinkingConfig: /thinking|reasoning|budget_?tokens/i,
  toolConfig: /tool_?choice|function_?calling_?config/i,
  responseSchema: /response_?format|output_?config|json_?schema|response_?schema/i,
  responseModalities: /modalit/i,
};

/** Texts about a request whose contents would be taken with other settings. */
const ABOUT_SETTINGS =
  /\btools?\b|function.?declaration|parameters?\b|schema|unsupported value|not supported|model\b|api.?version|beta|header|temperature|top_?[pk]\b|max_?(output_?|completion_?)?tokens|reasoning|tool_?choice|response_?format|billing|credit/i;
const ABOUT_CONTENTS =
  /messages?[.[ ]|contents?[.[ ]|prompt|too long|too large|context.?(length|window)|image|audio|video|file|document|media|mime|media.?type|base64|\btext\b/i;

/** The settings of a request that the provider's text names, in the words of the request's config. */
export function namedSettings(config: GenerateContentConfig, text: string): readonly string[] {
  return Object.keys(config).filter((key) => config[key] !== undefined && NAMES[key]?.test(text) === true);
}

/** A file of the conversation is kept by the provider for a time only, and refused as if a key or the model were wrong. */
export function isGoneFile(status: number | undefined, text: string): boolean {
  return (status === 403 || status === 404) && /\bfile\b/i.test(text);
}

/** What a provider refused: what was said, files of the conversation alone, or how it was asked for. */
export type Refused = "content" | "files" | "request";

/** What a provider refused with this status; undefined for other failures. */
export function refusedPart(status: number | undefined, text: string): Refused | undefined {
  if (isGoneFile(status, text)) return "files";
  if (status === 413 || status === 415) return "content";
  if (status !== 400 && status !== 422) return undefined;
  if (/^tools?[.[]|invalid schema for function/i.test(text.trim())) return "request";
  return ABOUT_CONTENTS.test(text) || !ABOUT_SETTINGS.test(text) ? "content" : "request";
}
