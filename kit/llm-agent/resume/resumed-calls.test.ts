import { expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import { modelContent } from "#kit/events/content.ts";
import { createEvent, type Event, functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { runLlmFlow } from "#kit/llm-agent/run-llm-flow.ts";
import { executeTools } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";

it("answers a resumed call although an earlier call of the session had the same id", async () => {
  const agent = new LlmAgent({ name: "helper" });
  const context = createInvocation({ agent });
  const event = (id: string, part: object): Event =>
    createEvent({ id, invocationId: "i", author: "helper", timestamp: 0, content: { role: "model", parts: [part] } });
  const call = { functionCall: { id: "c1", name: "look", args: {} } };
  const response = { functionResponse: { id: "c1", name: "look", response: { result: "old" } } };
  const newest = event("3", call);
  context.session.events.push(event("1", call), event("2", response), newest);
  const request = new LlmRequest<BaseTool>({ model: "scripted", contents: [] });
  const step = { agent, context, request, turn: { isFixRequested: false } };
  const events = await Array.fromAsync(executeTools(step, newest, { resumed: true }));
  expect(events.flatMap(functionResponses)).toEqual([
    { id: "c1", name: "look", response: { error: expect.stringContaining("whether it took effect is unknown") } },
  ]);
});

function resumedTurn(tools: readonly BaseTool[], maxSteps = 1) {
  const model = new ScriptedModel(["never"]);
  const agent = new LlmAgent({ name: "helper", model, tools, maxSteps });
  const content = { role: "model", parts: [{ functionCall: { id: "c1", name: "work", args: {} } }] };
  const answer = createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, content });
  const past = new PastTurn([answer], { isInterrupted: () => true });
  return { model, events: Array.fromAsync(runLlmFlow(agent, createInvocation({ agent, past, events: [answer] }))) };
}

it("runs resumed calls though the agent may not ask its model again, and then ends the turn", async () => {
  const work = new FunctionTool({ name: "work", description: "Works.", idempotent: true, execute: () => "done" });
  const { model, events } = resumedTurn([work]);
  expect((await events).flatMap(functionResponses).map(({ response }) => response)).toEqual([{ result: "done" }]);
  expect(model.callCount).toBe(0);
});

it("ends the turn if a resumed call has no response yet", async () => {
  const work = new LongRunningFunctionTool({
    name: "work",
    description: "Works.",
    idempotent: true,
    execute: () => undefined,
  });
  const { model, events } = resumedTurn([work], 5);
  expect([await events, model.callCount]).toEqual([[], 0]);
});

it("reports to the model first what is wrong with an answer that was stored when the turn was cut off", async () => {
  const model = new ScriptedModel(["{}"]);
  const agent = new LlmAgent({ name: "helper", model, outputSchema: { type: "object" } });
  const content = modelContent("no JSON");
  const answer = createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, content });
  const past = new PastTurn([answer], { isInterrupted: () => true });
  const events = await Array.fromAsync(runLlmFlow(agent, createInvocation({ agent, past, events: [answer] })));
  expect(events.map(brief)).toEqual([
    expect.stringMatching(/^helper: This answer does not fit the output schema: it is not JSON\./),
    "helper: {}",
  ]);
});
