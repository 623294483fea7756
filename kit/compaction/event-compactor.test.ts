import { describe, expect, it } from "vitest";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { modelContent, userContent } from "../events/content.ts";
import { createEvent, type Event } from "../events/event.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { SequentialIds } from "../testing/sequential-ids.ts";
import { createEventCompactor } from "./event-compactor.ts";

const said = (id: string, text: string): Event =>
  createEvent({ id, invocationId: id, author: "user", timestamp: 5, content: userContent(text) });

describe("an event compactor", () => {
  it("compacts a session with the session service", async () => {
    verifies("operations:compactor:compact");
    const clock = new FixedClock();
    const ids = new SequentialIds();
    const store = new InMemorySessionStore({ clock, ids });
    const model = new ScriptedModel(["the gist"]);
    const key = { appName: "app", userId: "ada", id: "talk" };
    const session = await store.createSession(key);
    for (const word of ["a", "b"]) {
      await store.appendEvent(session, said(word, word));
    }
    const compactor = createEventCompactor({ config: { compactionInterval: 2, overlapSize: 0 }, model, clock, ids });
    await compactor.compact(session, store);
    await compactor.compact(session, store);
    const stored = await store.getSession(key);
    expect(stored?.events.slice(2).map(({ actions }) => actions.compaction)).toEqual([
      {
        compactedContent: modelContent("the gist"),
        startTimestamp: 5,
        endTimestamp: 5,
        startSequence: 1,
        endSequence: 2,
      },
    ]);
    expect(session.events).toHaveLength(3);
  });

  it("waits for the threshold if no interval is set", async () => {
    const clock = new FixedClock();
    const ids = new SequentialIds();
    const store = new InMemorySessionStore({ clock, ids });
    const session = await store.createSession({ appName: "app", userId: "ada", id: "talk" });
    const summarizer = { summarizeEvents: async () => ({ content: modelContent("gist") }) };
    const config = { tokenThreshold: 20, eventRetentionSize: 1, summarizer };
    const compactor = createEventCompactor({ config, clock, ids });
    const counts: number[] = [];
    for (const word of ["a", "b", "c"]) {
      await store.appendEvent(session, said(word, word.repeat(36)));
      await compactor.compact(session, store);
      counts.push(session.events.length);
    }
    expect(counts).toEqual([1, 2, 4]);
  });
});
