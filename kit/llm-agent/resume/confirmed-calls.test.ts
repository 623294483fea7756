import { describe, expect, it } from "vitest";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event, functionResponses } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { UNKNOWN } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { answeredQuestions, mayAnswerQuestion } from "./answered-questions.ts";

function event(author: string, extra: Partial<Event>): Event {
  return createEvent({ id: `${author}-1`, invocationId: "i", author, timestamp: 0, ...extra });
}

function answered(response: JsonObject, id = "adk-1"): Event {
  const functionResponse = { id, name: "adk_request_confirmation", response };
  return event("user", { content: { role: "user", parts: [{ functionResponse }] } });
}

/** A call of `pay` by that agent, and the question to the user. */
function asked(author = "helper"): readonly Event[] {
  const originalFunctionCall = { id: "call-1", name: "pay", args: {} };
  const toolConfirmation = { hint: "Sure?", confirmed: false };
  const args = { originalFunctionCall, toolConfirmation };
  const question = { id: "adk-1", name: "adk_request_confirmation", args };
  return [
    event(author, { content: { role: "model", parts: [{ functionCall: originalFunctionCall }] } }),
    event(author, { actions: createEventActions({ requestedToolConfirmations: { "call-1": toolConfirmation } }) }),
    event(author, { content: { role: "model", parts: [{ functionCall: question }] }, longRunningToolIds: ["adk-1"] }),
  ];
}

function payTool(idempotent: boolean): FunctionTool {
  return new FunctionTool({
    name: "pay",
    description: "Pays.",
    requireConfirmation: true,
    idempotent,
    execute: () => "paid",
  });
}

const yes = answered({ confirmed: true });

describe("whether a message may answer a confirmation", () => {
  it.each<[string, boolean, readonly Event[]]>([
    ["no message", false, []],
    ["a text of the user", false, [event("user", { content: userContent("hi") })]],
    ["an answer of the user", true, [yes]],
    ["an answer, and a text of the user after it", false, [yes, event("user", { content: userContent("hi") })]],
    ["an answer that the agent has acted on", false, [yes, event("helper", { content: modelContent("ok") })]],
    ["an answer that the agent has refused", false, [yes, event("helper", { errorCode: "CONFIRMATION_UNKNOWN" })]],
    ["an answer, and state of the agent", true, [yes, event("helper", {})]],
    ["an answer, and what another agent said", true, [yes, event("other", { content: modelContent("ok") })]],
  ])("%s: %s", (_, expected, events) => {
    expect(mayAnswerQuestion(createStep({ events }))).toBe(expected);
  });

  it("an agent that serves as a tool does not read the user's messages", () => {
    expect(mayAnswerQuestion(createStep({ events: [yes], toolInput: userContent("pay") }))).toBe(false);
  });
});

describe("a confirmed call", () => {
  const unknownTool = { error: expect.stringContaining('There is no tool named "pay"') };
  const rejected = { error: "The user rejected this call. It did not run." };

  it.each<[string, boolean, FunctionTool | undefined, boolean, unknown]>([
    ["runs", true, payTool(false), false, { result: "paid" }],
    ["has an unknown outcome if the run was cut off", true, payTool(false), true, UNKNOWN],
    ["runs again if the run was cut off and its tool is idempotent", true, payTool(true), true, { result: "paid" }],
    ["fails if the agent has no such tool any more", true, undefined, false, unknownTool],
    [
      "has an unknown outcome if the run was interrupted and the tool does not exist any more",
      true,
      undefined,
      true,
      UNKNOWN,
    ],
    ["is rejected by the user", false, payTool(false), false, rejected],
    ["is rejected by the user though the agent has no such tool any more", false, undefined, false, rejected],
  ])("%s", async (_, confirmed, tool, isInterrupted, expected) => {
    const events = [...asked(), answered({ confirmed })];
    const past = new PastTurn(events, { isInterrupted: () => isInterrupted });
    const [event] = await Array.fromAsync(answeredQuestions(createStep({ events, past, tools: tool ? [tool] : [] })));
    expect(event && functionResponses(event)).toEqual([{ id: "call-1", name: "pay", response: expected }]);
  });

  it("is left to the agent that has asked, as long as there is one of that name", async () => {
    const events = [...asked("other"), yes];
    const agent = new LlmAgent({ name: "helper" });
    const isThere = new LlmAgent({ name: "root", subAgents: [agent, new LlmAgent({ name: "other" })] });
    expect(isThere.findAgent("helper")).toBe(agent);
    expect(await Array.fromAsync(answeredQuestions(createStep({ agent, events })))).toEqual([]);
    await expect(Array.fromAsync(answeredQuestions(createStep({ events })))).rejects.toMatchObject({
      reason: "CONFIRMATION_UNKNOWN",
    });
  });
});
