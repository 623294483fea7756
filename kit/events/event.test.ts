import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import type { Part } from "./content.ts";
import {
  createEvent,
  type EventInput,
  finalResponse,
  functionCalls,
  functionResponses,
  hasTrailingCodeExecutionResult,
} from "./event.ts";
import { createEventActions } from "./event-actions.ts";

const call: Part = { functionCall: { id: "1", name: "add", args: { a: 1 } } };
const response: Part = { functionResponse: { id: "1", name: "add", response: { result: 1 } } };
const codeResult: Part = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } };
const text: Part = { text: "hi" };

function eventOf(parts: readonly Part[], rest: Partial<EventInput> = {}) {
  return createEvent({ id: "e", invocationId: "i", author: "a", timestamp: 1, content: { parts }, ...rest });
}

describe("an event", () => {
  it("gives its calls and its responses, in order", () => {
    verifies("event:function-calls", "event:function-responses", "typescript:derived-reads");
    const other: Part = { functionCall: { id: "2", name: "sub" } };
    const event = eventOf([text, call, response, other]);
    expect([functionCalls(event), functionResponses(event), functionCalls({})]).toEqual([
      [call.functionCall, other.functionCall],
      [response.functionResponse],
      [],
    ]);
  });

  it.each([
    ["it is the last part", [text, codeResult], true],
    ["it is another part", [codeResult, text], false],
    ["there is none", [], false],
  ])("has a trailing code result or not: %s", (_, parts, has) => {
    verifies("event:has-trailing-code-execution-result");
    expect(hasTrailingCodeExecutionResult(eventOf(parts))).toBe(has);
  });

  it.each<[string, boolean, readonly Part[], Partial<EventInput>]>([
    ["a complete text", true, [text], {}],
    ["nothing at all", true, [], {}],
    ["a partial event", false, [text], { partial: true }],
    ["a call", false, [text, call], {}],
    ["a response", false, [response], {}],
    ["a trailing code result", false, [text, codeResult], {}],
    ["a code result with a text behind it", true, [codeResult, text], {}],
    [
      "a response whose summary is to be skipped",
      true,
      [response],
      { actions: createEventActions({ skipSummarization: true }) },
    ],
    ["a call that answers later", true, [call], { longRunningToolIds: ["1"] }],
    ["a call with no such call marked", false, [call], { longRunningToolIds: [] }],
  ])("with %s is a final response: %s", (_, final, parts, rest) => {
    verifies("event:final-response", "event:final-response:meaning", "event-actions:skip-summarization");
    expect(finalResponse(eventOf(parts, rest))).toBe(final);
  });

  it("is serialised with its members in one order and its maps present", () => {
    verifies("event-actions:maps-always-present");
    const event = createEvent({
      partial: true,
      content: { parts: [] },
      timestamp: 1,
      author: "a",
      invocationId: "i",
      id: "e",
    });
    expect(JSON.stringify(event)).toBe(
      '{"id":"e","invocationId":"i","author":"a","timestamp":1,"content":{"parts":[]},' +
        '"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},"partial":true}',
    );
  });
});

describe("actions under construction", () => {
  it("do not share their maps with what they were made from", () => {
    const stateDelta = { a: 1 };
    const actions = createEventActions({ stateDelta, escalate: true });
    actions.stateDelta["b"] = 2;
    actions.artifactDelta["f"] = 0;
    expect([stateDelta, actions, createEventActions().artifactDelta]).toEqual([
      { a: 1 },
      {
        escalate: true,
        stateDelta: { a: 1, b: 2 },
        artifactDelta: { f: 0 },
        requestedAuthConfigs: {},
        requestedToolConfirmations: {},
      },
      {},
    ]);
  });
});
