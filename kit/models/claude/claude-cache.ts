import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ContextCacheRequest } from "#kit/models/context-cache-config.ts";

/** Caches live five minutes or an hour; writing the longer one costs more. */
const LONG_TTL_SECONDS = 3600;

/**
 * Marks where the start of the prompt may be cached: after the tools, after the instruction, and after the newest
 * message, which serves the next request. The API finds its cached prefixes itself and ignores prefixes that are too
 * short.
 */
export function withCacheBreakpoints(
  parameters: MessageCreateParamsStreaming,
  { config, promptTokenCount }: ContextCacheRequest,
): MessageCreateParamsStreaming {
  if (config.minTokens > 0 && (promptTokenCount ?? 0) < config.minTokens) return parameters;
  const mark: CacheControlEphemeral = {
    type: "ephemeral",
    ttl: config.ttlSeconds >= LONG_TTL_SECONDS ? ("1h" as const) : undefined,
  };
  const { messages, system, tools } = parameters;
  return {
    ...parameters,
    ...(tools !== undefined && { tools: markLast(tools, mark) }),
    ...(typeof system === "string" && { system: [{ type: "text" as const, text: system, cache_control: mark }] }),
    messages: markNewest(messages, mark),
  };
}

function markNewest(messages: readonly MessageParam[], mark: CacheControlEphemeral): MessageParam[] {
  const newest = messages.at(-1);
  if (newest?.role !== "user" || typeof newest.content === "string") return [...messages];
  const content: ContentBlockParam[] = markLast(newest.content, mark);
  return [...messages.slice(0, -1), { role: "user", content }];
}

/** The newest message is the user's, so it has no thinking block, which cannot be marked. */
function markLast<Block extends object>(blocks: readonly Block[], mark: CacheControlEphemeral): Block[] {
  const last = blocks.at(-1);
  return last === undefined ? [] : [...blocks.slice(0, -1), { ...last, cache_control: mark }];
}
