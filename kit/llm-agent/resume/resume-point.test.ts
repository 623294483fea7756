import { describe, expect, it } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import { modelContent, type Part, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { resumePoint } from "./resume-point.ts";

const agent = new LlmAgent({ name: "helper" });

function event(id: string, extra: Partial<Event>): Event {
  return createEvent({ id, invocationId: "i", author: "helper", timestamp: 0, ...extra });
}

const calling = event("call", {
  content: { role: "model", parts: [{ functionCall: { id: "c1", name: "look", args: {} } }] },
});

function pointOf(...events: readonly Event[]) {
  return resumePoint(agent, createInvocation({ agent }), new PastTurn(events, { isInterrupted: () => true }));
}

describe("the point where a turn resumes", () => {
  it("does not depend on what the same agent did as a tool, on another branch", async () => {
    const asTool = event("tool", { content: modelContent("done"), branch: "boss.helper@c9" });
    expect(await pointOf(calling, asTool)).toEqual({ kind: "tools", steps: 1, answer: calling });
    expect(await pointOf(asTool)).toEqual({ kind: "model", steps: 0 });
  });

  it("does not depend on what another agent said", async () => {
    const other = event("other", { author: "other", content: modelContent("done") });
    expect(await pointOf(calling, other)).toEqual({ kind: "tools", steps: 1, answer: calling });
  });

  it.each<[string, readonly Event[], object]>([
    ["the model, without any event", [], { kind: "model", steps: 0 }],
    ["the calls of an answer without responses", [calling], { kind: "tools", steps: 1, answer: calling }],
    [
      "the model, after the responses",
      [calling, event("r", { content: { role: "user", parts: [{ functionResponse: { id: "c1", name: "look" } }] } })],
      { kind: "model", steps: 1 },
    ],
    ["the end, after a text", [event("t", { content: modelContent("done") })], { kind: "end", events: [] }],
    [
      "the model, after the user's answer to a call of the turn",
      [
        calling,
        event("u", {
          author: "user",
          content: { role: "user", parts: [{ functionResponse: { id: "c1", name: "look" } }] },
        }),
      ],
      { kind: "model", steps: 1 },
    ],
    [
      "the end, though the user said something else",
      [event("t", { content: modelContent("done") }), event("u", { author: "user", content: userContent("hi") })],
      { kind: "end", events: [] },
    ],
    [
      "the end of the turn, whatever says how an earlier run ended",
      [event("t", { content: modelContent("done") }), event("x", { errorCode: "RUN_INTERRUPTED" })],
      { kind: "end", events: [] },
    ],
  ])("is %s", async (_, events, expected) => {
    expect(await pointOf(...events)).toEqual(expected);
  });

  it("is the end with the question, when the question to the user is not stored yet", async () => {
    const requestedToolConfirmations = { c1: { confirmed: false, hint: "Sure?" } };
    const placeholder = event("r", {
      content: { role: "user", parts: [{ functionResponse: { id: "c1", name: "look", response: {} } }] },
      actions: createEventActions({ requestedToolConfirmations }),
    });
    const point = await pointOf(calling, placeholder);
    expect(point).toEqual({
      kind: "end",
      events: [expect.objectContaining({ author: "helper", longRunningToolIds: [expect.stringMatching(/^adk-/)] })],
    });
  });

  it("is the end, while a long-running call waits in a turn that was not cut off", async () => {
    const waiting = { ...calling, longRunningToolIds: ["c1"] };
    const past = (isInterrupted: boolean) => new PastTurn([waiting], { isInterrupted: () => isInterrupted });
    const context = createInvocation({ agent });
    expect(await resumePoint(agent, context, past(false))).toEqual({ kind: "end", events: [] });
    expect(await resumePoint(agent, context, past(true))).toEqual({ kind: "tools", steps: 1, answer: waiting });
  });

  it("counts neither responses nor results of code as answers of the model", async () => {
    const code = event("x", {
      content: { role: "model", parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }] },
    });
    const responses = event("r", {
      content: { role: "user", parts: [{ functionResponse: { id: "c1", name: "look", response: {} } }] },
    });
    expect(await pointOf(calling, responses, code)).toEqual({ kind: "model", steps: 1 });
  });

  it("is the end behind a question to the user that waits for its answer", async () => {
    const question = event("q", {
      content: { role: "model", parts: [{ functionCall: { id: "adk-1", name: "adk_request_confirmation" } }] },
      longRunningToolIds: ["adk-1"],
    });
    expect(await pointOf(calling, question)).toEqual({ kind: "end", events: [] });
  });

  it.each(["RUN_CANCELLED", "RUN_INTERRUPTED", "RUN_TIMED_OUT"])(
    "does not depend on the event that an earlier run ended with: %s",
    async (errorCode) => {
      const ended = event("x", { errorCode });
      expect(await pointOf(calling, ended)).toEqual({ kind: "tools", steps: 1, answer: calling });
    },
  );

  it("is the end after any other error, which is the agent's answer", async () => {
    expect(await pointOf(calling, event("x", { errorCode: "SAFETY" }))).toEqual({ kind: "end", events: [] });
  });

  it("is the calls of an answer while one of them is neither long-running nor cut off", async () => {
    const other = { functionCall: { id: "c2", name: "job", args: {} } };
    const both = event("call", { content: { role: "model", parts: [...(calling.content?.parts ?? []), other] } });
    const context = createInvocation({ agent });
    for (const longRunningToolIds of [undefined, ["c2"], ["c1", "c2"]]) {
      const answer = longRunningToolIds === undefined ? both : { ...both, longRunningToolIds };
      const point = await resumePoint(agent, context, new PastTurn([answer], { isInterrupted: () => false }));
      const waits = longRunningToolIds?.length === 2;
      expect(point).toEqual(waits ? { kind: "end", events: [] } : { kind: "tools", steps: 1, answer });
    }
  });

  it("is the model behind code without a result, and not where the result follows", async () => {
    const code = { executableCode: { code: "1", language: "PYTHON" } } as const;
    const result = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } } as const;
    const said = (...parts: readonly Part[]) => event("code", { content: { role: "model", parts } });
    expect(await pointOf(said({ text: "I compute." }, code))).toEqual({ kind: "model", steps: 1 });
    expect(await pointOf(said(code, result, { text: "It is 1." }))).toEqual({ kind: "end", events: [] });
    expect(await pointOf(event("x", { content: {} }))).toEqual({ kind: "end", events: [] });
    expect(await pointOf(event("x", { content: { parts: [] } }))).toEqual({ kind: "end", events: [] });
  });

  it("does not depend on events that only change state", async () => {
    expect(await pointOf(calling, event("state", {}))).toEqual({ kind: "tools", steps: 1, answer: calling });
  });

  it("is the question for a better answer, or behind it the model, if the answer does not fit the output schema", async () => {
    const strict = new LlmAgent({ name: "helper", outputSchema: { type: "object" } });
    const told = event("told", { content: userContent("This answer does not fit.") });
    const pointAfter = (...events: readonly Event[]) => {
      const past = new PastTurn(events, { isInterrupted: () => true });
      return resumePoint(strict, createInvocation({ agent: strict, past }), past);
    };
    const wrong = event("wrong", { content: modelContent("no JSON") });
    expect(await pointAfter(wrong)).toEqual({ kind: "fix", steps: 1, problems: ["it is not JSON"] });
    expect(await pointAfter(wrong, told)).toEqual({ kind: "model", steps: 1 });
    expect(await pointAfter(event("right", { content: modelContent("{}") }))).toEqual({ kind: "end", events: [] });
    const taken = event("taken", {
      content: { role: "user", parts: [{ functionResponse: { id: "c1", name: "set_model_response" } }] },
      actions: createEventActions({ setModelResponse: { a: 1 } }),
    });
    expect(await pointAfter(calling, taken)).toEqual({
      kind: "end",
      events: [expect.objectContaining({ content: modelContent('{"a":1}') })],
    });
  });

  it("is the agent that the turn was handed over to, with what that one has done since", async () => {
    const seen: (readonly string[] | undefined)[] = [];
    class Records extends BaseAgent {
      protected override async *runAsyncImpl({ past }: InvocationContext): AsyncGenerator<Event> {
        seen.push(past?.events.map(({ id }) => id));
      }
    }
    const root = new LlmAgent({
      name: "root",
      subAgents: [new Records({ name: "other" }), new Records({ name: "target" })],
    });
    const handover = event("handover", {
      author: "root",
      content: { role: "user", parts: [{ functionResponse: { id: "t", name: "transfer_to_agent" } }] },
      actions: createEventActions({ transferToAgent: "target" }),
    });
    const done = event("done", { author: "target", content: modelContent("halfway") });
    const past = new PastTurn([event("call", { author: "root", content: modelContent("go") }), handover, done], {
      isInterrupted: () => true,
    });
    const point = await resumePoint(root, createInvocation({ agent: root, past }), past);
    if (point.kind === "end") await Array.fromAsync(point.events);
    expect(seen).toEqual([["done"]]);
  });
});
