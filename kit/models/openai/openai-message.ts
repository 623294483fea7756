import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { toTokenCounts } from "#kit/models/answers/token-counts.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** The member of a thought's `partMetadata` that names the member of messages in which it came. */
const MEMBER = "openAiMember";
const REASONING_CONTENT = "reasoning_content";

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
    text: typeof content === "string" ? content : listed.map(({ text }) => stringOf(text)).join(""),
    refusal: stringOf(refusal),
  };
}

/** Servers name the member differently, and some send the same text in two. */
function thoughtsOf(message: JsonObject): readonly Part[] {
  const own = stringOf(message[REASONING_CONTENT]);
  if (own !== "") return [{ text: own, thought: true, partMetadata: { [MEMBER]: REASONING_CONTENT } }];
  const { reasoning, reasoning_details: details } = message;
  return thoughtOf(
    stringOf(reasoning) ||
      objectsOf(details)
        .map(({ text }) => stringOf(text))
        .join(""),
  );
}

function thoughtOf(text: string): readonly Part[] {
  return text === "" ? [] : [{ text, thought: true }];
}

/** The thoughts that their server wants back with the calls to which they led: DeepSeek and Kimi refuse calls without. */
export function reasoningContent(parts: readonly Part[]): string {
  return parts.map(({ text, partMetadata }) => (partMetadata?.[MEMBER] === REASONING_CONTENT ? text : "")).join("");
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

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
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
