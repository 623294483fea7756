import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "../events/content.ts";
import { createEvent, type Event } from "../events/event.ts";
import { compactEvents } from "./compact-events.ts";
import type { EventSummarizer } from "./event-summarizer.ts";

const said = (words: string, branch?: string): Event =>
  createEvent({
    id: words,
    invocationId: words,
    author: "user",
    timestamp: 0,
    content: userContent(words),
    ...(branch !== undefined && { branch }),
  });

const hanging: EventSummarizer = { summarizeEvents: () => new Promise(() => {}) };
const NEVER_ABORTED = new AbortController().signal;

describe("compacting events", () => {
  it("gives up on a summarizer that does not answer in time", async () => {
    const history = { events: [said("a")], firstSequence: 1 };
    const tools = { summarizer: hanging, model: undefined, signal: NEVER_ABORTED, timeoutMs: 0 };
    await expect(compactEvents(history, { retain: 0 }, tools)).rejects.toThrowError(
      expect.objectContaining({ name: "TimeoutError" }),
    );
  });

  it("is aborted with its run", async () => {
    const history = { events: [said("a")], firstSequence: 1 };
    const run = new AbortController();
    const tools = { summarizer: hanging, model: undefined, signal: run.signal };
    const compacted = compactEvents(history, { retain: 0 }, tools);
    run.abort(new Error("cancelled"));
    await expect(compacted).rejects.toThrow("cancelled");
  });

  it("leaves out events of agents that serve as tools, which are not part of the conversation", async () => {
    const shown: string[] = [];
    const summarizer: EventSummarizer = {
      summarizeEvents: async ({ events }) => {
        shown.push(...events.map(({ id }) => id));
        return { content: modelContent("sum") };
      },
    };
    const tools = { summarizer, model: undefined, signal: NEVER_ABORTED };
    const events = [said("a"), said("inside", "helper.reader@c1"), said("b")];
    const made = await compactEvents({ events, firstSequence: 7 }, { retain: 0 }, tools);
    expect(shown).toEqual(["a", "b"]);
    expect([made?.compaction.startSequence, made?.compaction.endSequence]).toEqual([7, 9]);
    expect(await compactEvents({ events: events.slice(1, 2), firstSequence: 1 }, { retain: 0 }, tools)).toBeUndefined();
  });
});
