import { expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { quoteOtherAgent } from "./quote-other-agent.ts";

function relayed(parts: readonly Part[] | undefined) {
  const content = parts === undefined ? undefined : { role: "model", parts };
  const event = { id: "e", invocationId: "i", author: "other", timestamp: 0, ...(content && { content }) };
  return quoteOtherAgent(createEvent(event))?.parts?.slice(1);
}

it("quotes words, calls and responses of another agent, and passes other parts on as they are", () => {
  const image = { inlineData: { mimeType: "image/png", data: "AAAA" } };
  const parts = [
    { text: "Hi." },
    { functionCall: { name: "look", args: { at: "it" } } },
    { functionResponse: { name: "look", response: { seen: 1 } } },
    { functionCall: {} },
    { functionResponse: {} },
    image,
  ];
  expect(relayed(parts)).toEqual([
    { text: "[other] said:\n<<<QUOTE\nHi.\nQUOTE>>>" },
    { text: '[other] called tool `look` with parameters:\n<<<QUOTE\n{"at":"it"}\nQUOTE>>>' },
    { text: '[other] tool `look` returned:\n<<<QUOTE\n{"seen":1}\nQUOTE>>>' },
    { text: "[other] called tool `` with parameters:\n<<<QUOTE\n{}\nQUOTE>>>" },
    { text: "[other] tool `` returned:\n<<<QUOTE\n{}\nQUOTE>>>" },
    image,
  ]);
});

it.each([[undefined], [[]], [[{ text: " \n" }, { text: "Hm.", thought: true }]]])("has nothing of %j", (parts) =>
  expect(relayed(parts)).toBeUndefined(),
);
