import type { Content, Part } from "../events/content.ts";
import type { Event } from "../events/event.ts";

const CHARACTERS_PER_TOKEN = 4;
/** About what models count for one picture; other media are assumed to cost the same. */
const MEDIA_TOKENS = 260;

/** Estimates the tokens of the content: a quarter of its characters, calls and responses included. */
export function estimateTokens(content: Content | undefined): number {
  let tokens = 0;
  for (const part of content?.parts ?? []) tokens += partTokens(part);
  return tokens;
}

/**
 * Estimates the tokens of the agent's next prompt (without a name: of any agent): the tokens that its newest call
 * reported, and an estimate for the events since. Reads back no further than that call or the last summary, and stops
 * at the limit.
 */
export function promptTokens(events: readonly Event[], agentName: string | undefined, limit: number): number {
  let tokens = 0;
  for (let index = events.length - 1; index >= 0 && tokens < limit; index -= 1) {
    const event = events[index];
    if (event === undefined) continue;
    const { compaction } = event.actions;
    if (compaction !== undefined) return tokens + estimateTokens(compaction.compactedContent);
    tokens += estimateTokens(event.content);
    const isOwn = agentName === undefined || event.author === agentName;
    const reported = isOwn ? event.usageMetadata?.promptTokenCount : undefined;
    if (reported !== undefined) return tokens + reported;
  }
  return tokens;
}

function partTokens({ text, functionCall, functionResponse, inlineData, fileData }: Part): number {
  if (text !== undefined) return text.length / CHARACTERS_PER_TOKEN;
  if (functionCall !== undefined) return lengthOf(functionCall.args) / CHARACTERS_PER_TOKEN;
  if (functionResponse !== undefined) return lengthOf(functionResponse.response) / CHARACTERS_PER_TOKEN;
  return inlineData === undefined && fileData === undefined ? 0 : MEDIA_TOKENS;
}

function lengthOf(value: object | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
