import { isReservedCall } from "#kit/events/reserved-calls.ts";
import { type Content, type Part, textOf } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { SummaryRequest } from "./event-summarizer.ts";

/** Limit for one argument list, response or text; the middle of a longer one is cut out. */
const MAX_TEXT_CHARACTERS = 4000;

/**
 * The conversation as text for a summarizer: one line for each text, call, response or file, under its author's name.
 */
export function describeConversation({ previous, overlap, events }: Omit<SummaryRequest, "signal">): string {
  return [
    ...section("Summary so far", previous.map(summaryText)),
    ...section("Told by that summary already, for the connection", overlap.flatMap(linesOf)),
    ...section("What happened since", events.flatMap(linesOf)),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}\n${lines.join("\n")}`];
}

function summaryText(content: Content): string {
  return textOf(content);
}

function linesOf({ author, content }: Event): readonly string[] {
  return (content?.parts ?? []).flatMap((part) => {
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
