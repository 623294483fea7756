import { describe, expect, it, vi } from "vitest";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { eventually, openCall } from "#test/helpers/live/open-call.ts";

async function start(...tools: readonly FunctionTool[]) {
  const expertModel = new ScriptedModel([], { live: [] });
  const model = new ScriptedModel([], { live: [] });
  const expert = new LlmAgent({ name: "expert", description: "Knows.", model: expertModel });
  const agent = new LlmAgent({ name: "front", model, tools, subAgents: [expert] });
  const credentialService = new InMemoryCredentialService();
  return { ...(await openCall(agent, model, { world: { credentialService } })), expertModel, credentialService };
}

const transfer = functionCallResponse("transfer_to_agent", { agent_name: "expert" }, "t");

describe("a transfer in a live run", () => {
  it("gives the next agent a connection of its own, with the user's message and without the handle", async () => {
    const call = await start();
    const front = call.connection();
    call.queue.sendContent(userContent("help"));
    await eventually(() => expect(front.sent).toHaveLength(1));
    front.say({ liveSessionResumptionUpdate: { newHandle: "h", resumable: true } }, transfer);
    await eventually(() => expect(call.expertModel.connections[0]?.sent).toHaveLength(1));
    const [expert] = call.expertModel.connections;
    expect(expert?.resumed).toBe(false);
    expect(expert?.sent[0]).toMatchObject({ kind: "history", history: [userContent("help"), {}, {}] });
    call.queue.sendContent(userContent("more"));
    await eventually(() => expect(expert?.sent).toHaveLength(2));
    expect(front.isClosed).toBe(true);
    call.queue.close();
    expect(await call.ended).toBeUndefined();
  });

  it("waits until the model has finished its sentence", async () => {
    const call = await start();
    const front = call.connection();
    front.say({ outputTranscription: { text: "One " }, partial: true }, transfer);
    await eventually(() =>
      expect(call.events.flatMap(({ actions }) => actions.transferToAgent ?? [])).toEqual(["expert"]),
    );
    front.say({ outputTranscription: { text: "moment.", finished: false }, partial: true }, { turnComplete: true });
    await eventually(() => expect(call.expertModel.connections).toHaveLength(1));
    expect(call.events.some(({ turnComplete }) => turnComplete === true)).toBe(true);
    call.queue.close();
    await call.ended;
  });

  it("stops the tools of the agent that it leaves", async () => {
    const signals: AbortSignal[] = [];
    const slow = new FunctionTool({
      name: "slow",
      description: "Waits.",
      execute: (_args, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const call = await start(slow);
    call.connection().say(functionCallResponse("slow", {}, "c1"));
    await eventually(() => expect(signals).toHaveLength(1));
    call.connection().say(transfer);
    await eventually(() => expect(call.expertModel.connections).toHaveLength(1));
    expect(signals[0]?.aborted).toBe(true);
    call.queue.close();
    expect(await call.ended).toBeUndefined();
  });

  it("leaves one reader of the queue, which is the next agent", async () => {
    const waiting = new Set<object>();
    const arrives = LiveRequestQueue.prototype.arrives;
    vi.spyOn(LiveRequestQueue.prototype, "arrives").mockImplementation(async function (this: LiveRequestQueue, signal) {
      waiting.add(signal);
      return arrives.call(this, signal).finally(() => waiting.delete(signal));
    });
    const call = await start();
    call.connection().say(transfer);
    await eventually(() => expect(call.expertModel.connections).toHaveLength(1));
    await eventually(() => expect(waiting.size).toBe(1));
    for (const text of ["a", "b", "c"]) call.queue.sendContent(userContent(text));
    await eventually(() =>
      expect(call.expertModel.connections[0]?.sent.filter(({ kind }) => kind === "content")).toHaveLength(3),
    );
    expect(waiting.size).toBe(1);
    call.queue.close();
    await call.ended;
    expect(waiting.size).toBe(0);
    vi.restoreAllMocks();
  });
});
