import { expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { createEvent, type EventInput } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { Transcript } from "./transcript.ts";

function written(...events: readonly Partial<EventInput>[]): string {
  let text = "";
  const transcript = new Transcript((piece) => {
    text += piece;
  });
  for (const event of events) {
    transcript.add(createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, ...event }));
  }
  transcript.end();
  return text;
}

it("writes chunks as they arrive, and not again when the answer is complete", () => {
  expect(
    written(
      { content: modelContent("Hel"), partial: true },
      { content: modelContent("lo"), partial: true },
      { content: modelContent("Hello") },
    ),
  ).toBe("helper: Hello\n");
});

it("writes an answer that arrived as a whole, with a line for each author", () => {
  expect(written({ content: modelContent("one") }, { author: "other", content: modelContent("two") })).toBe(
    "helper: one\nother: two\n",
  );
});

it("writes calls, results, artifacts and errors on lines of their own", () => {
  expect(
    written(
      { content: modelContent("Let me see."), partial: true },
      {
        content: {
          role: "model",
          parts: [{ text: "Let me see." }, { functionCall: { name: "look", args: { at: "sky" } } }],
        },
      },
      { content: { role: "user", parts: [{ functionResponse: { name: "look", response: { result: "blue" } } }] } },
      { actions: createEventActions({ artifactDelta: { "sky.svg": 0 } }) },
      { content: modelContent("Blue.") },
      { errorCode: "MODEL_UNAVAILABLE", errorMessage: "Gone." },
    ),
  ).toBe(
    [
      "helper: Let me see.",
      '  look({"at":"sky"})',
      '  = {"result":"blue"}',
      "  saved sky.svg (version 0)",
      "helper: Blue.",
      "! MODEL_UNAVAILABLE: Gone.",
      "",
    ].join("\n"),
  );
});

it("marks the progress of a call, and a call whose result comes later", () => {
  const progress = (response: JsonObject): Partial<EventInput> => ({
    content: { role: "user", parts: [{ functionResponse: { name: "copy", response } }] },
  });
  expect(
    written(
      {
        content: { role: "model", parts: [{ functionCall: { id: "c1", name: "copy", args: {} } }] },
        longRunningToolIds: ["c1"],
      },
      { ...progress({ done: 1 }), partial: true },
      progress({ done: 2 }),
    ),
  ).toBe('  copy({})\n    (long-running: its result comes later)\n  … {"done":1}\n  = {"done":2}\n');
});

it("writes neither thoughts nor the questions of the framework", () => {
  const parts = [
    { text: "I think.", thought: true },
    { text: "" },
    { functionCall: { id: "q", name: "adk_request_confirmation", args: {} } },
    { text: "I say." },
  ];
  expect(written({ content: { role: "model", parts }, longRunningToolIds: ["q"] })).toBe("helper: I say.\n");
});

it("writes the texts of agents that run at the same time one after another", () => {
  const chunk = (author: string, text: string) => ({ author, content: modelContent(text), partial: true });
  expect(
    written(
      chunk("a", "One "),
      chunk("b", "three "),
      chunk("c", "five"),
      chunk("a", "two"),
      { author: "a", content: modelContent("One two") },
      chunk("b", "four"),
      { author: "c", content: modelContent("five") },
      { author: "b", content: modelContent("three four") },
      chunk("d", "seven "),
      chunk("e", "nine"),
    ),
  ).toBe("a: One two\nb: three four\nc: five\nd: seven \ne: nine\n");
});

it("writes what waited when an agent fails in its answer", () => {
  expect(
    written(
      { author: "a", content: modelContent("One "), partial: true },
      { author: "b", content: modelContent("two") },
      { author: "a", errorCode: "MODEL_UNAVAILABLE" },
    ),
  ).toBe("a: One \n! MODEL_UNAVAILABLE\nb: two\n");
});
