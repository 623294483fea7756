import { describe, expect, it } from "vitest";
import { createEvent, type Event, type EventInput } from "../events/event.ts";
import { sessionToEvalCase } from "./session-to-eval-case.ts";

let last = 0;

function event(
  invocationId: string,
  author: string,
  parts: NonNullable<Event["content"]>["parts"],
  rest: Partial<EventInput> = {},
): Event {
  last += 1;
  const role = author === "user" ? "user" : "model";
  return createEvent({
    id: `e-${last}`,
    invocationId,
    author,
    timestamp: 2000,
    content: { role, ...(parts && { parts }) },
    ...rest,
  });
}

function convert(events: Event[]) {
  return sessionToEvalCase({ appName: "app", userId: "user", events }, { evalId: "case", nowMs: 5500 });
}

describe("sessionToEvalCase", () => {
  it("makes one turn of each invocation, with tools, what was said on the way, and the answer", () => {
    const call = { id: "c1", name: "get_weather", args: { city: "Rome" } };
    const response = { id: "c1", name: "get_weather", response: { sky: "clear" } };
    const events = [
      event("i-1", "user", [{ text: "weather in Rome?" }]),
      event("i-1", "weather", [{ text: "think", thought: true }, { text: "checking" }, { functionCall: call }]),
      event("i-1", "weather", [{ functionResponse: response }]),
      event("i-1", "weather", [{ text: "su" }], { partial: true }),
      event("i-1", "weather", [{ text: "hm", thought: true }, { text: "sunny" }]),
      event("i-2", "user", [{ text: "thanks" }]),
      event("i-2", "weather", [{ text: "welcome" }]),
    ];
    expect(convert(events)).toEqual({
      evalId: "case",
      conversation: [
        {
          invocationId: "i-1",
          userContent: { role: "user", parts: [{ text: "weather in Rome?" }] },
          finalResponse: { role: "model", parts: [{ text: "sunny" }] },
          intermediateData: {
            toolUses: [call],
            toolResponses: [response],
            intermediateResponses: [["weather", [{ text: "checking" }]]],
          },
          creationTimestamp: 2,
        },
        {
          invocationId: "i-2",
          userContent: { role: "user", parts: [{ text: "thanks" }] },
          finalResponse: { role: "model", parts: [{ text: "welcome" }] },
          intermediateData: { toolUses: [], toolResponses: [], intermediateResponses: [] },
          creationTimestamp: 2,
        },
      ],
      sessionInput: { appName: "app", userId: "user", state: {} },
      creationTimestamp: 5.5,
    });
  });

  it("takes the last agent's answer for the answer and the earlier ones for steps on the way", () => {
    const events = [
      event("i", "user", [{ text: "write" }]),
      event("i", "writer", [{ text: "draft" }]),
      event("i", "editor", [{ text: "final" }]),
    ];
    expect(convert(events).conversation?.[0]).toMatchObject({
      finalResponse: { role: "model", parts: [{ text: "final" }] },
      intermediateData: { intermediateResponses: [["writer", [{ text: "draft" }]]] },
    });
  });

  it("takes a picture for the answer when nothing was said", () => {
    const picture = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const events = [event("i", "user", [{ text: "draw" }]), event("i", "artist", [picture])];
    expect(convert(events).conversation?.[0]?.finalResponse).toEqual({ role: "model", parts: [picture] });
  });

  it("has no answer for a turn that got none, and no turn for what no user began", () => {
    const changed = createEvent({ id: "s", invocationId: "p-1", author: "user", timestamp: 1 });
    const events = [changed, event("i", "user", [{ text: "hello?" }])];
    expect(convert(events).conversation).toEqual([
      {
        invocationId: "i",
        userContent: { role: "user", parts: [{ text: "hello?" }] },
        intermediateData: { toolUses: [], toolResponses: [], intermediateResponses: [] },
        creationTimestamp: 2,
      },
    ]);
  });
});
