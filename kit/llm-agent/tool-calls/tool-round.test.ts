import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { userContent } from "#kit/events/content.ts";
import { createEvent, type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import type { MutableEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { executeTools, UNKNOWN } from "./execute-tools.ts";
import { MAX_CALLS_PER_ANSWER, MAX_RESPONSE_CHARACTERS } from "./tool-limits.ts";
import { toToolResponse } from "./tool-response.ts";
import { ToolRound } from "./tool-round.ts";

function createTestEvent(extra: Partial<Event>): Event {
  return createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, ...extra });
}

describe("a round of calls", () => {
  it("leaves no listener on the signal of the run", async () => {
    const listeners: number[] = [];
    const step =
      (answer: LlmResponse | string): ScriptedStep =>
      (_request, { signal }) => {
        listeners.push(getEventListeners(signal, "abort").length);
        return answer;
      };
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = new ScriptedModel([functionCallResponse("look"), functionCallResponse("look"), "done"].map(step));
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }));
    await world.run("go");
    expect(listeners).toEqual([listeners[0], listeners[0], listeners[0]]);
  });

  it("has failed with the reason of an aborted run, whether it was aborted before the round or in it", async () => {
    const early = new ToolRound(createStep({ signal: AbortSignal.abort("early") }));
    expect(early.failure).toEqual({ reason: "early" });
    await expect(early.unlessAborted(new Promise(() => {}))).rejects.toBe("early");
    const run = new AbortController();
    const late = new ToolRound(createStep({ signal: run.signal }));
    const work = late.unlessAborted(new Promise(() => {}));
    expect(late.failure).toBeUndefined();
    run.abort("late");
    expect(late.failure).toEqual({ reason: "late" });
    await expect(work).rejects.toBe("late");
  });

  it("asks the user nothing when the run fails in it", async () => {
    const ask = new FunctionTool({ name: "ask", description: "Asks.", requireConfirmation: true, execute: () => 1 });
    const fails = new FunctionTool({ name: "fails", description: "Fails.", execute: () => 1 });
    const parts = ["ask", "fails"].map((name) => ({ functionCall: { name } }));
    const agent = new LlmAgent({
      name: "helper",
      model: new ScriptedModel([{ content: { role: "model", parts } }]),
      tools: [ask, fails],
      afterToolCallback: (_context: unknown, { name }: BaseTool) => {
        if (name === "fails") throw new Error("callback broke");
      },
    });
    const world = await createAgentWorld(agent);
    await expect(world.run("go")).rejects.toThrow("callback broke");
    const { events } = await world.session();
    expect(events.flatMap(functionCalls).map(({ name }) => name)).toEqual(["ask", "fails"]);
    expect(events.map(brief).at(-1)).toMatch(/^helper: ! CALLBACK_FAILED/);
  });

  it("may have exactly as many characters in its results as the limit, and no more", async () => {
    verifies("tools:results");
    const text = "x".repeat(MAX_RESPONSE_CHARACTERS - toToolResponse("").size);
    const sizes = [text, text].map((result) => toToolResponse(result).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2_000_000);
    const long = new FunctionTool({ name: "long", description: "Is long.", execute: () => text });
    const short = new FunctionTool({ name: "short", description: "Is short.", execute: () => "" });
    const resultsOf = async (...names: readonly string[]) => {
      const parts = names.map((name) => ({ functionCall: { name } }));
      const answer = createTestEvent({ content: { role: "model", parts } });
      const [event] = await Array.fromAsync(
        executeTools(createStep({ tools: [long, short], events: [answer] }), answer),
      );
      return (event?.content?.parts ?? []).map(({ functionResponse }) => functionResponse?.response ?? {});
    };
    const responses = await resultsOf("long", "long", "short");
    expect(responses.map(Object.keys)).toEqual([["result"], ["result"], ["error"]]);
    expect(responses[2]).toEqual({ error: expect.stringContaining("does not fit") });
    // A response that does not fit uses no room of the responses after it.
    const others = await resultsOf("long", "short", "long", "short");
    expect(others.map(Object.keys)).toEqual([["result"], ["result"], ["error"], ["result"]]);
  });

  it("runs as many calls of an answer as the limit, and answers the others with an error", async () => {
    let runs = 0;
    const work = new FunctionTool({ name: "work", description: "Works.", execute: () => (runs += 1) });
    const parts = Array.from({ length: MAX_CALLS_PER_ANSWER + 1 }, () => ({ functionCall: { name: "work" } }));
    const event = createTestEvent({ content: { role: "model", parts } });
    const [answer] = await Array.fromAsync(executeTools(createStep({ tools: [work], events: [event] }), event));
    const responses = answer?.content?.parts?.map(({ functionResponse }) => functionResponse?.response);
    expect([runs, responses?.slice(-2)]).toEqual([
      MAX_CALLS_PER_ANSWER,
      [{ result: MAX_CALLS_PER_ANSWER }, { error: expect.stringContaining("This call did not run") }],
    ]);
  });

  it("of a resumed answer has a response for each call that its tool has not answered", async () => {
    const parts = ["c1", "c2", "c3"].map((id) => ({ functionCall: { id, name: id } }));
    const calls = createTestEvent({ id: "calls", content: { role: "model", parts } });
    const answeredBy = (author: string, id: string) =>
      createTestEvent({
        author,
        content: { role: "user", parts: [{ functionResponse: { id, name: id, response: { author } } }] },
      });
    const events = [answeredBy("helper", "c3"), calls, answeredBy("user", "c1"), answeredBy("helper", "c2")];
    const given = await Array.fromAsync(executeTools(createStep({ events }), calls, { resumed: true }));
    expect(given.flatMap(functionResponses)).toEqual([
      { id: "c1", name: "c1", response: UNKNOWN },
      { id: "c3", name: "c3", response: UNKNOWN },
    ]);
  });

  it("is empty if each call of a resumed answer has its response", async () => {
    const calls = createTestEvent({ id: "calls", content: { role: "model" } });
    expect(await Array.fromAsync(executeTools(createStep({ events: [calls] }), calls, { resumed: true }))).toEqual([]);
  });

  it("runs nothing when the run was cancelled before it began, and answers each call", async () => {
    const cancel = new AbortController();
    let runs = 0;
    const work = new FunctionTool({ name: "work", description: "Works.", execute: () => (runs += 1) });
    const model = new ScriptedModel([functionCallResponse("work", {}, "c1")]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [work] }), {
      plugins: [{ name: "cancels", onEventCallback: () => cancel.abort() }],
    });
    const newMessage = userContent("go");
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: cancel.signal });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    const responses = (await world.session()).events.flatMap(functionResponses);
    expect([runs, responses.map(({ id }) => id)]).toEqual([0, ["c1"]]);
  });

  it("does not take what a tool does with its actions afterwards", async () => {
    let actions: MutableEventActions | undefined;
    const keep = new FunctionTool({
      name: "keep",
      description: "Keeps its context.",
      execute: (_args, context) => {
        actions = context.actions;
        context.state.set("in time", 1);
      },
    });
    const late = () => {
      if (actions !== undefined) actions.stateDelta["late"] = 2;
      return "done";
    };
    const model = new ScriptedModel([functionCallResponse("keep"), late]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [keep] }));
    const [, answer] = await world.run("go");
    expect(answer?.actions.stateDelta).toEqual({ "in time": 1 });
  });

  it("fails with the first error of several", async () => {
    const work = (name: string) => new FunctionTool({ name, description: "Works.", execute: () => 1 });
    const parts = ["first", "second"].map((name) => ({ functionCall: { name } }));
    const agent = new LlmAgent({
      name: "helper",
      model: new ScriptedModel([{ content: { role: "model", parts } }]),
      tools: ["first", "second"].map(work),
      afterToolCallback: (_context: unknown, { name }: BaseTool) => {
        throw new Error(`${name} broke`);
      },
    });
    await expect((await createAgentWorld(agent)).run("go")).rejects.toThrow("first broke");
  });

  it("takes null for the result of a stream that returns it", async () => {
    const work = new FunctionTool({
      name: "work",
      description: "Works.",
      execute: async function* () {
        yield 10;
        return null;
      },
    });
    const model = new ScriptedModel([functionCallResponse("work"), "ok"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [work] }));
    expect((await world.run("go")).map(brief)).toContain('helper: work -> {"result":null}');
  });
});
