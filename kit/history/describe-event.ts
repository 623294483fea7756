import type { Part } from "#kit/events/content.ts";
import { type Event, saidContent } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";

/** Limit for one argument list, response or text; the middle of a longer one is cut out. */
const MAX_TEXT_CHARACTERS = 4000;

/**
 * The event as text for a model that does not take part in the conversation: one line for each text, call, response or
 * file, under its author's name. Thoughts are left out.
 */
export function describeEvent(event: Event): readonly string[] {
  const { author } = event;
  return (saidContent(event)?.parts ?? []).flatMap((part) => {
    const description = describePart(part);
    return description === undefined ? [] : [`${author}${description}`];
  });
}

function describePart(part: Part): string | undefined {
  const { text, thought, functionCall, functionResponse, inlineData, fileData } = part;
  if (thought === true) return undefined;
  if (text !== undefined) return text.trim() === "" ? undefined : `: ${shorten(text)}`;
  if (functionCall !== undefined) {
    if (isReservedCall(functionCall.name)) return undefined;
    return ` called ${functionCall.name ?? "a tool"}: ${shorten(JSON.stringify(functionCall.args ?? {}))}`;
  }
  if (functionResponse !== undefined) {
    if (isReservedCall(functionResponse.name)) return undefined;
    return ` got from ${functionResponse.name ?? "a tool"}: ${shorten(JSON.stringify(functionResponse.response ?? {}))}`;
  }
  const file = inlineData ?? fileData;
  if (file !== undefined) return ` gave a file: ${file.displayName ?? file.mimeType ?? "unnamed"}`;
  const { executableCode, codeExecutionResult } = part;
  if (executableCode !== undefined) return ` ran code: ${shorten(executableCode.code ?? "")}`;
  if (codeExecutionResult !== undefined) return ` got from the code: ${shorten(codeExecutionResult.output ?? "")}`;
  return undefined;
}

function shorten(text: string): string {
  const half = MAX_TEXT_CHARACTERS / 2;
  const kept = text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, half)} […] ${text.slice(-half)}`;
  // Indented, so that no text can pass for the next one's author.
  return kept.replaceAll(/\r?\n/g, "\n  ");
}
