import { expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { eventually, openCall } from "#test/helpers/live/open-call.ts";

const done = functionCallResponse("task_completed", {}, "done");

async function start() {
  const [first, second] = [new ScriptedModel([], { live: [] }), new ScriptedModel([], { live: [] })];
  const subAgents = [new LlmAgent({ name: "one", model: first }), new LlmAgent({ name: "two", model: second })];
  return { ...(await openCall(new SequentialAgent({ name: "steps", subAgents }), first)), first, second };
}

it("a step of a sequence ends when its model says so, and the next one talks", async () => {
  const call = await start();
  const [one] = call.first.connections;
  expect(one?.request.functionDeclarations.map(({ name }) => name)).toContain("task_completed");
  expect(one?.request.systemInstruction).toContain("call the task_completed function");
  call.queue.sendContent(userContent("hi"));
  await eventually(() => expect(one?.sent).toHaveLength(1));
  one?.say({ content: modelContent("half done") }, done);
  await eventually(() => expect(call.second.connections).toHaveLength(1));
  expect(one?.isClosed).toBe(true);
  const [two] = call.second.connections;
  two?.say(done);
  expect(await call.ended).toBeUndefined();
  expect(call.events.map(({ author }) => author)).toEqual(["one", "one", "one", "two", "two"]);
});

it("a sequence ends with the client, without its next steps", async () => {
  const call = await start();
  call.queue.close();
  expect(await call.ended).toBeUndefined();
  expect(call.second.connections).toEqual([]);
});

it("an agent outside of a sequence has no such function", async () => {
  const model = new ScriptedModel([], { live: [] });
  const call = await openCall(new LlmAgent({ name: "alone", model }), model);
  expect(call.connection().request.functionDeclarations).toEqual([]);
  call.queue.close();
  await call.ended;
});
