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

/** What a provider refused with this status: what was said, or how it was asked for. Undefined for other failures. */
export function refusedPart(status: number | undefined, text: string): "content" | "request" | undefined {
  if (status === 413 || status === 415) return "content";
  if (status !== 400 && status !== 422) return undefined;
  if (/^tools?[.[]|invalid schema for function/i.test(text.trim())) return "request";
  return ABOUT_CONTENTS.test(text) || !ABOUT_SETTINGS.test(text) ? "content" : "request";
}
