import { describe, expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { LongRunningFunctionTool } from "#kit/tools/long-running-function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

function answerTo(id: string): Content {
  return { role: "user", parts: [{ functionResponse: { id, name: "job", response: { done: true } } }] };
}

async function createWaitingWorld() {
  const job = new LongRunningFunctionTool({ name: "job", description: "Starts a job.", execute: () => ({ id: 1 }) });
  const model = new ScriptedModel([
    { content: { role: "model", parts: [{ functionCall: { id: "call-\u00e9", name: "job", args: {} } }] } },
    "started",
    "meanwhile",
    "done",
  ]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [job] }));
  await world.run("go");
  await world.run("and?");
  const invocationIds = async () => [...new Set((await world.session()).events.map((event) => event.invocationId))];
  return { world, invocationIds };
}

describe("a message that answers a call", () => {
  it("goes on with the invocation of the call", async () => {
    const { world, invocationIds } = await createWaitingWorld();
    const before = await invocationIds();
    const [event] = await world.run(answerTo("call-\u00e9"));
    expect(event?.invocationId).toBe(before[0]);
    expect(await invocationIds()).toEqual(before);
  });

  it("does so on a runner that has not seen the session", async () => {
    const { world, invocationIds } = await createWaitingWorld();
    const before = await invocationIds();
    const { app, journal, sessionService } = world.runner;
    const runner = new Runner({ app, journal, sessionService });
    const newMessage = answerTo("call-\u00e9");
    const [event] = await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage }));
    expect(event?.invocationId).toBe(before[0]);
  });

  it("starts an invocation of its own when the session knows no such call", async () => {
    const { world, invocationIds } = await createWaitingWorld();
    await world.run(answerTo("call-x"));
    expect(await invocationIds()).toHaveLength(3);
  });

  it("leaves it to the run to say that there is no session", async () => {
    const { world } = await createWaitingWorld();
    const request = { userId: "ada", sessionId: "none", newMessage: answerTo("call-\u00e9") };
    await expect(Array.fromAsync(world.runner.runAsync(request))).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
  });

  it("is refused when it answers calls of several invocations", async () => {
    verifies("wire:run:message-validation");
    const { world } = await createWaitingWorld();
    const session = await world.session();
    const functionCall = { id: "other", name: "job" };
    const event = createEvent({
      id: "e-other",
      invocationId: "another",
      author: "helper",
      timestamp: 0,
      content: { role: "model", parts: [{ functionCall }] },
      longRunningToolIds: ["other"],
    });
    await world.store.appendEvent(session, event);
    const both = ["call-\u00e9", "other"].flatMap((id) => answerTo(id).parts ?? []);
    const refused = { reason: "INVALID_MESSAGE", message: expect.stringContaining("calls of 2 invocations") };
    await expect(world.run({ role: "user", parts: both })).rejects.toMatchObject(refused);
    const { app, journal, sessionService } = world.runner;
    const runner = new Runner({ app, journal, sessionService });
    const newMessage = { role: "user", parts: both };
    const run = runner.runAsync({ userId: "ada", sessionId: "talk", newMessage });
    await expect(Array.fromAsync(run)).rejects.toMatchObject(refused);
  });
});
