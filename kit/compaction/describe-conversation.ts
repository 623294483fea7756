import { describeEvent } from "#kit/history/describe-event.ts";
import { type Content, textOf } from "../events/content.ts";
import type { SummaryRequest } from "./event-summarizer.ts";

/**
 * The conversation as text for a summarizer: one line for each text, call, response or file, under its author's name.
 */
export function describeConversation({ previous, overlap, events }: Omit<SummaryRequest, "signal">): string {
  return [
    ...section("Summary so far", previous.map(summaryText)),
    ...section("Covered by that summary already, for context", overlap.flatMap(describeEvent)),
    ...section("What happened since", events.flatMap(describeEvent)),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}\n${lines.join("\n")}`];
}

function summaryText(content: Content): string {
  return textOf(content);
}
