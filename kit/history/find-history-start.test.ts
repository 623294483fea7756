import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions, type EventActions, type EventCompaction } from "#kit/events/event-actions.ts";
import { NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import { findHistoryStart } from "./find-history-start.ts";

function said(author: string, invocationId: string, extra: Partial<Event> = {}): Event {
  const content = author === "user" ? userContent("text") : modelContent("text");
  return createEvent({ id: "e", invocationId, author, timestamp: 0, content, ...extra });
}

function acting(actions: Partial<EventActions>, invocationId = "acts"): Event {
  return createEvent({ id: "a", invocationId, author: "user", timestamp: 0, actions: createEventActions(actions) });
}

function summaryOf(startSequence: number, endSequence: number, more: Partial<EventCompaction> = {}): Event {
  const compactedContent = modelContent("summary");
  return acting({
    compaction: { compactedContent, startTimestamp: 0, endTimestamp: 0, startSequence, endSequence, ...more },
  });
}

const turns = (count: number, agent = "helper"): Event[] =>
  Array.from({ length: count }, (_, index) => [said("user", `i${index}`), said(agent, `i${index}`)]).flat();

const boundOf = (events: readonly Event[], overlap = 0) => findHistoryStart({ events, firstSequence: 1 }, overlap);

describe("a session's history start", () => {
  it("asks for all events where nothing was summarized, or where a summary has only times", () => {
    const { startSequence: _, ...times } = summaryOf(1, 4).actions.compaction ?? { startSequence: 0 };
    const timed = acting({
      compaction: { compactedContent: modelContent(""), startTimestamp: 0, endTimestamp: 0, ...times },
    });
    expect([boundOf([]), boundOf(turns(3)), boundOf([...turns(3), timed])]).toEqual(Array(3).fill(NO_HISTORY_START));
  });

  it("asks for what the summary leaves, for itself, and for what each agent has said last", () => {
    const events = [...turns(2, "desk"), ...turns(4), summaryOf(1, 10), said("user", "new")];
    expect(boundOf(events)).toEqual({ from: 11, earlier: [4] });
    const kept = [...turns(4), summaryOf(1, 8, { keptSequences: [2, 3] }), said("user", "new")];
    expect(boundOf(kept)).toEqual({ from: 8, earlier: [2, 3] });
  });

  it("asks for what opened a turn that waits for an answer, and for what was said last before it", () => {
    const asks = said("helper", "i3", { longRunningToolIds: ["c"] });
    const events = [...turns(3), said("user", "i3"), asks, ...turns(3), summaryOf(1, 14, { keptSequences: [8] })];
    expect(boundOf(events)).toEqual({ from: 14, earlier: [6, 7, 8] });
  });

  it("asks for the invocations that the next summary's writer is shown once more", () => {
    expect(boundOf([...turns(6), summaryOf(1, 12), said("user", "new")], 2)).toEqual({ from: 9, earlier: [] });
  });

  it("asks for nothing that was rewound", () => {
    const events = [...turns(3), summaryOf(1, 6), ...turns(1), said("user", "gone"), said("helper", "gone")];
    const rewind = acting({ rewindBeforeInvocationId: "gone" }, "back");
    expect(boundOf([...events, rewind, said("user", "new")])).toEqual({ from: 13, earlier: [7, 8, 9] });
    expect(boundOf([...events, acting({ rewindBeforeInvocationId: "i2" }, "back")])).toEqual(NO_HISTORY_START);
  });

  it("asks for more rather than for many single events, unless that would bring rewound ones back", () => {
    const keptSequences = Array.from({ length: 250 }, (_, index) => index * 2 + 1);
    const events = [...turns(300), summaryOf(1, 600, { keptSequences }), said("user", "new")];
    expect(boundOf(events)).toEqual({ from: 401, earlier: keptSequences.slice(0, 200) });
    const rewind = acting({ rewindBeforeInvocationId: "new" }, "back");
    expect(boundOf([...events, rewind])).toEqual(NO_HISTORY_START);
  });
});
