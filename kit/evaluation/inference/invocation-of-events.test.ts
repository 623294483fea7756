import { describe, expect, it } from "vitest";
import { modelContent, type Part, userContent } from "#kit/events/content.ts";
import { createEvent, type Event, type EventInput } from "#kit/events/event.ts";
import { invocationOfEvents } from "./invocation-of-events.ts";

const QUESTION = userContent("What is open?");
const CALL: Part = { functionCall: { id: "1", name: "find", args: {} } };
const RESPONSE: Part = { functionResponse: { id: "1", name: "find", response: { open: "museum" } } };

describe("what an agent did in a turn", () => {
  it("is its last answer, and its other events with what they cost", () => {
    const usageMetadata = { promptTokenCount: 3 };
    const events = [
      event({ author: "user", content: QUESTION }),
      event({ content: modelContent("Let"), partial: true }),
      event({ content: { role: "model", parts: [{ text: "Let me see." }, CALL] }, usageMetadata, modelVersion: "m-1" }),
      event({ content: { role: "user", parts: [RESPONSE] } }),
      event({ content: modelContent("The museum."), usageMetadata, groundingMetadata: { sources: 1 } }),
      event({ author: "state" }),
    ];
    expect(invocationOfEvents(QUESTION, events)).toEqual({
      invocationId: "run",
      creationTimestamp: 1.5,
      userContent: QUESTION,
      finalResponse: modelContent("The museum."),
      intermediateData: {
        invocationEvents: [
          { author: "guide", content: events[2]?.content, usageMetadata, modelVersion: "m-1" },
          { author: "guide", content: events[3]?.content },
          { author: "guide", usageMetadata, groundingMetadata: { sources: 1 } },
        ],
      },
    });
  });

  it.each<[string, readonly Part[][], number | undefined]>([
    ["the last text of several", [[{ text: "One" }], [{ text: "Two" }]], 1],
    ["a text before a picture", [[{ text: "One" }], [{ inlineData: { mimeType: "image/png" } }]], 0],
    ["a picture without a text", [[{ inlineData: { mimeType: "image/png" } }]], 0],
    ["a picture after a thought", [[{ inlineData: { mimeType: "image/png" } }], [{ text: "Hm", thought: true }]], 1],
    ["nothing, if there is only a call", [[CALL]], undefined],
    ["nothing, if no event has parts", [[]], undefined],
  ])("has as its answer %s", (_title, parts, index) => {
    const events = parts.map((each) => event({ content: { role: "model", parts: each } }));
    expect(invocationOfEvents(QUESTION, events).finalResponse).toBe(
      index === undefined ? undefined : events[index]?.content,
    );
  });

  it("keeps the call of an answer that awaits its result", () => {
    const waiting = event({ content: { role: "model", parts: [CALL] }, longRunningToolIds: ["1"] });
    const { finalResponse, intermediateData } = invocationOfEvents(QUESTION, [waiting]);
    expect([finalResponse, intermediateData?.invocationEvents]).toEqual([
      waiting.content,
      [{ author: "guide", content: waiting.content }],
    ]);
  });

  it("keeps an event that has only what a search found", () => {
    const found = event({ groundingMetadata: { sources: 1 } });
    const { intermediateData } = invocationOfEvents(QUESTION, [
      found,
      event({ content: { parts: [{ executableCode: {} }] } }),
    ]);
    expect(intermediateData?.invocationEvents).toEqual([{ author: "guide", groundingMetadata: { sources: 1 } }]);
  });

  it("is only the question if there are no events", () => {
    expect(invocationOfEvents(QUESTION, [])).toEqual({
      userContent: QUESTION,
      intermediateData: { invocationEvents: [] },
    });
  });
});

function event(input: Partial<EventInput>): Event {
  return createEvent({ id: "event", invocationId: "run", author: "guide", timestamp: 1500, ...input });
}
