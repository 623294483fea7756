import { describe, expect, it } from "vitest";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { event, text } from "#test/helpers/worlds/history-events.ts";
import { AgentToolAnswer } from "./agent-tool-answer.ts";

const SHARED = { privateState: undefined, privateArtifacts: false };

async function resultOf(...events: readonly Event[]): Promise<unknown> {
  const answer = new AgentToolAnswer(new LlmAgent({ name: "expert" }), undefined);
  for (const one of events) answer.take(one, SHARED);
  return answer.result();
}

const responded = event("helper", [{ functionResponse: { name: "look", response: {} } }], {
  content: { role: "user", parts: [{ functionResponse: { name: "look", response: {} } }] },
});
const failed = event("helper", [], { errorCode: "SAFETY" });

describe("the answer of an agent that serves as a tool", () => {
  it.each<[string, readonly Event[], unknown]>([
    ["is its last text", [event("helper", [text("a")]), event("helper", [text("b"), text("c")])], "b\nc"],
    ["has no thoughts", [event("helper", [{ text: "hm", thought: true }, text("a")])], "a"],
    ["is not the text from before a tool's response", [event("helper", [text("Let me see.")]), responded], ""],
    [
      "is the text after a tool's response",
      [event("helper", [text("x")]), responded, event("helper", [text("y")])],
      "y",
    ],
    ["is kept when an event without text follows", [event("helper", [text("a")]), event("helper", [])], "a"],
    ["is an error after a failure", [event("helper", [text("a")]), failed], { error: "expert failed: SAFETY" }],
    ["is not an error when text follows the failure", [failed, event("helper", [text("a")])], "a"],
    [
      "has the message of a failure",
      [event("helper", [], { errorCode: "X", errorMessage: "so" })],
      { error: "expert failed: so" },
    ],
  ])("%s", async (_title, events, result) => {
    expect(await resultOf(...events)).toEqual(result);
  });
});
