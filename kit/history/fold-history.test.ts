import { describe, expect, it } from "vitest";
import { modelContent, textOf, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions, type EventActions, type EventCompaction } from "#kit/events/event-actions.ts";
import { foldHistory } from "./fold-history.ts";

const said = (words: string, timestamp = 0): Event =>
  createEvent({ id: words, invocationId: words, author: "user", timestamp, content: userContent(words) });

const acts = (invocationId: string, actions: Partial<EventActions>): Event =>
  createEvent({ id: "x", invocationId, author: "user", timestamp: 0, actions: createEventActions(actions) });

const summary = (words: string, range: Partial<EventCompaction>): Event =>
  acts(words, {
    compaction: { compactedContent: modelContent(words), startTimestamp: 0, endTimestamp: 0, ...range },
  });

function told(...events: readonly Event[]): readonly string[] {
  return foldHistory({ events, firstSequence: 1 }).map((item) =>
    item.kind === "summary" ? `[${textOf(item.content)}]` : textOf(item.event.content),
  );
}

describe("a folded history", () => {
  it("has the summary in place of what it covers, by sequence and not by time", () => {
    expect(
      told(said("a"), said("b"), said("c"), summary("ab", { startSequence: 1, endSequence: 2 }), said("d")),
    ).toEqual(["[ab]", "c", "d"]);
  });

  it("keeps events within the range that are excepted, behind the summary", () => {
    const range = { startSequence: 1, endSequence: 3, keptSequences: [2] };
    expect(told(said("a"), said("b"), said("c"), summary("ac", range))).toEqual(["[ac]", "b"]);
  });

  it("drops a summary that a later one takes in", () => {
    expect(
      told(
        said("a"),
        summary("a", { startSequence: 1, endSequence: 1 }),
        said("b"),
        summary("a and b", { startSequence: 1, endSequence: 3 }),
        said("c"),
      ),
    ).toEqual(["[a and b]", "c"]);
  });

  it("reads summaries of other servers, which have only times, and keeps both when they overlap", () => {
    expect(
      told(
        said("a", 10),
        said("b", 20),
        summary("ab", { startTimestamp: 10, endTimestamp: 20 }),
        said("c", 20),
        said("d", 30),
        summary("bcd", { startTimestamp: 15, endTimestamp: 30 }),
        said("e", 40),
      ),
    ).toEqual(["[ab]", "[bcd]", "e"]);
  });

  it("brings back what was summarized after the point to which the user has rewound", () => {
    expect(
      told(
        said("a"),
        said("b"),
        summary("ab", { startSequence: 1, endSequence: 2 }),
        said("c"),
        acts("r", { rewindBeforeInvocationId: "b" }),
        said("d"),
      ),
    ).toEqual(["a", "d"]);
  });

  it("keeps a summary of what was said before the point of a rewind", () => {
    expect(
      told(
        said("a"),
        summary("a", { startSequence: 1, endSequence: 1 }),
        said("b"),
        acts("r", { rewindBeforeInvocationId: "b" }),
      ),
    ).toEqual(["[a]"]);
  });
});
