import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { toTokenCounts } from "#kit/models/answers/token-counts.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** The member of a part's `partMetadata` with the members of messages that its server wants back with it. */
const WANTED = "openAi";
const REASONING_CONTENT = "reasoning_content";
/** Some servers want a reasoning with every answer, and take no empty text: there is none of another model. */
const NO_REASONING = "(The reasoning for this answer is not known.)";

/** The texts of a message or of a piece of one: thoughts first. */
export interface OpenAiTexts {
  readonly thoughts: readonly Part[];
  readonly text: string;
  readonly refusal: string;
}

export function textsOf(message: JsonObject): OpenAiTexts {
  const { content, refusal } = message;
  const listed = objectsOf(content);
  return {
    thoughts: [...thoughtsOf(message), ...listed.flatMap(({ thinking }) => thoughtOf(joinedText(thinking)))],
    // What is said by voice is there as text too.
    text: joinedText(content) || stringOf(memberOf(message["audio"], "transcript")),
    refusal: stringOf(refusal),
  };
}

/** Servers name the member differently, and some send the same text in two. */
function thoughtsOf(message: JsonObject): readonly Part[] {
  const own = joinedText(message[REASONING_CONTENT]);
  if (own !== "") return [{ text: own, thought: true, partMetadata: { [WANTED]: { member: REASONING_CONTENT } } }];
  const { reasoning, thinking, reasoning_details: details } = message;
  return thoughtOf(joinedText(reasoning) || joinedText(thinking) || joinedText(details));
}

function thoughtOf(text: string): readonly Part[] {
  return text === "" ? [] : [{ text, thought: true }];
}

/** Which answers of the history have a reasoning in requests: those that called tools and have one, all, or none. */
export type ReasoningRule = "own" | "all" | "none";

/**
 * The thoughts that their server wants back with the calls to which they led: DeepSeek and Kimi refuse calls without,
 * and by their rule answers of other models without.
 */
export function reasoningContent(parts: readonly Part[], rule: ReasoningRule): string {
  const hasCalls = parts.some(({ functionCall }) => functionCall !== undefined);
  if (rule === "none" || (rule === "own" && !hasCalls)) return "";
  const own = parts
    .map(({ text, partMetadata }) =>
      memberOf(partMetadata?.[WANTED], "member") === REASONING_CONTENT ? (text ?? "") : "",
    )
    .join("");
  return own === "" && rule === "all" ? NO_REASONING : own;
}

/** What a server's refusal says of the reasoning in the history; undefined if it says nothing. */
export function reasoningRuleOf(status: number | undefined, message: string): ReasoningRule | undefined {
  if ((status !== 400 && status !== 422) || !message.includes(REASONING_CONTENT)) return undefined;
  if (/unsupported|not (supported|permitted|allowed)|extra|unknown|unrecognized|unexpected/i.test(message))
    return "none";
  return /missing|must|required|back/i.test(message) ? "all" : undefined;
}

/** What a server has said besides its texts about how it came to them, such as OpenRouter's signed reasoning. */
export function reasoningDetails(parts: readonly Part[]): readonly JsonObject[] {
  return parts.flatMap(({ partMetadata }) => objectsOf(memberOf(partMetadata?.[WANTED], "reasoning_details")));
}

/** The call with the details that its server wants back with it. */
export function withReasoningDetails(part: Part, details: readonly JsonObject[]): Part {
  if (details.length === 0) return part;
  return { ...part, partMetadata: { ...part.partMetadata, [WANTED]: { reasoning_details: details } } };
}

/** Images that the model has made, as data. */
export function imagesOf({ images }: JsonObject): readonly Part[] {
  return objectsOf(images).flatMap(({ image_url: image }) => {
    const url = stringOf(memberOf(image, "url") ?? image);
    const [, mimeType, data] = /^data:([\w.+/-]+);base64,(.+)$/s.exec(url) ?? [];
    return mimeType === undefined || data === undefined ? [] : [{ inlineData: { mimeType, data } }];
  });
}

export function callsOf({ tool_calls: calls, function_call: call }: JsonObject): readonly JsonObject[] {
  const all = objectsOf(calls);
  // The form before there were several calls.
  return all.length === 0 && isJsonObject(call) ? [{ function: call }] : all;
}

export function usageOf(usage: JsonValue | undefined): UsageMetadata | undefined {
  if (!isJsonObject(usage)) return undefined;
  return toTokenCounts({
    prompt: usage["prompt_tokens"] ?? usage["input_tokens"],
    output: usage["completion_tokens"] ?? usage["output_tokens"],
    thoughts: memberOf(usage["completion_tokens_details"], "reasoning_tokens") ?? usage["reasoning_tokens"],
    cached:
      memberOf(usage["prompt_tokens_details"], "cached_tokens") ??
      usage["prompt_cache_hit_tokens"] ??
      usage["cached_tokens"],
    total: usage["total_tokens"],
  });
}

export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** The objects of a list; some servers leave the list out where it has one member. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  if (isJsonObject(value)) return [value];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function joinedText(value: JsonValue | undefined): string {
  return typeof value === "string"
    ? value
    : objectsOf(value)
        .map(({ text }) => stringOf(text))
        .join("");
}
