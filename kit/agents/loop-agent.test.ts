import { describe, expect, it } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { modelContent } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import { createEventActions } from "../events/event-actions.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "../testing/scripted-model.ts";
import { ExitLoopTool } from "../tools/exit-loop-tool.ts";
import { LongRunningFunctionTool } from "../tools/function-tool.ts";
import { LoopAgent } from "./loop-agent.ts";
import { SequentialAgent } from "./sequential-agent.ts";

function speaker(name: string, text = name): LlmAgent {
  return new LlmAgent({ name, model: new ScriptedModel([text], { repeatLast: true }) });
}

/** Escalates in its n-th turn, and would yield another event if it were resumed. */
class Judge extends BaseAgent {
  readonly #patience: number;
  #turns = 0;

  constructor(name: string, patience: number) {
    super({ name });
    this.#patience = patience;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    this.#turns += 1;
    const escalate = this.#turns >= this.#patience;
    yield context.createEvent({
      content: modelContent(escalate ? "enough" : "again"),
      actions: createEventActions({ ...(escalate && { escalate }) }),
    });
    if (escalate) yield context.createEvent({ content: modelContent("one word more") });
  }
}

describe("LoopAgent", () => {
  it("runs its sub-agents in order, again and again, as often as it may", async () => {
    verifies("agents:loop:runs-sub-agents", "what-the-service-does:kit-loop-agent");
    const loop = new LoopAgent({ name: "loop", subAgents: [speaker("a"), speaker("b")], maxIterations: 3 });
    const world = await createAgentWorld(loop);
    expect((await world.run("go")).map(brief)).toEqual(["a: a", "b: b", "a: a", "b: b", "a: a", "b: b"]);
  });

  it("does nothing without passes, or without sub-agents", async () => {
    const none = await createAgentWorld(new LoopAgent({ name: "loop", subAgents: [speaker("a")], maxIterations: 0 }));
    expect(await none.run("go")).toEqual([]);
    const nobody = await createAgentWorld(new LoopAgent({ name: "loop" }));
    expect(await nobody.run("go")).toEqual([]);
  });

  it("stops immediately when an agent in it escalates", async () => {
    const loop = new LoopAgent({ name: "loop", subAgents: [speaker("a"), new Judge("judge", 2), speaker("b")] });
    const world = await createAgentWorld(loop);
    expect((await world.run("go")).map(brief)).toEqual(["a: a", "judge: again", "b: b", "a: a", "judge: enough"]);
  });

  it("is ended by the tool exit_loop, whose call is the last that its agent says", async () => {
    verifies("agents:loop:exit-loop", "tools:exit-loop");
    const model = new ScriptedModel(["not yet", functionCallResponse("exit_loop"), "unreached"]);
    const critic = new LlmAgent({ name: "critic", model, tools: [new ExitLoopTool()] });
    const world = await createAgentWorld(new LoopAgent({ name: "loop", subAgents: [speaker("a"), critic] }));
    expect((await world.run("go")).map(({ author }) => author)).toEqual(["a", "critic", "a", "critic", "critic"]);
    expect(model.callCount).toBe(2);
  });

  it("is ended by an escalation from below a sequence in it, and does not end the loop around it", async () => {
    const pair = new SequentialAgent({ name: "pair", subAgents: [speaker("a"), new Judge("judge", 1), speaker("b")] });
    const inner = new LoopAgent({ name: "inner", subAgents: [pair] });
    const outer = new LoopAgent({ name: "outer", subAgents: [inner, speaker("c")], maxIterations: 2 });
    const world = await createAgentWorld(outer);
    expect((await world.run("go")).map(brief)).toEqual([
      ...["a: a", "judge: enough", "c: c"],
      ...["a: a", "judge: enough", "c: c"],
    ]);
  });

  it("says on the first event of each later pass which it is, and on no other", async () => {
    verifies("agents:loop:pass-mark");
    const loop = new LoopAgent({ name: "loop", subAgents: [speaker("a"), speaker("b")], maxIterations: 2 });
    const world = await createAgentWorld(loop);
    const events = await world.run("go");
    const marks = [undefined, undefined, { agentState: { loop: { timesLooped: 1 } } }, undefined];
    expect(events.map(({ resumption }) => resumption)).toEqual(marks);
    expect((await world.session()).events.slice(1).map(({ resumption }) => resumption)).toEqual(marks);
    expect(events.flatMap(({ actions }) => actions.agentState ?? [])).toEqual([]);
  });

  it("says so in the event's actions in an app that is resumable", async () => {
    verifies("agents:loop:pass-mark");
    const loop = new LoopAgent({ name: "loop", subAgents: [speaker("a")], maxIterations: 2 });
    const events = await (await createAgentWorld(loop, { resumability: { isResumable: true } })).run("go");
    expect(events.map(({ actions, resumption }) => [actions.agentState, resumption])).toEqual([
      [undefined, undefined],
      [{ loop: { timesLooped: 1 } }, undefined],
    ]);
  });

  it("puts the number of the pass on a complete event, not on a partial one", async () => {
    const model = new ScriptedModel([streamedText("o", "ne"), streamedText("t", "wo")]);
    const subAgents = [new LlmAgent({ name: "a", model })];
    const world = await createAgentWorld(new LoopAgent({ name: "loop", subAgents, maxIterations: 2 }));
    const events = await world.run("go", { streamingMode: StreamingMode.SSE });
    expect(events.map((event) => [brief(event), event.resumption?.agentState])).toEqual([
      ...["a~: o", "a~: ne", "a: one", "a~: t", "a~: wo"].map((text) => [text, undefined]),
      ["a: two", { loop: { timesLooped: 1 } }],
    ]);
  });

  it("waits for an answer that an agent in it needs, instead of continuing", async () => {
    const ask = new LongRunningFunctionTool({ name: "ask", description: "Asks.", execute: () => undefined });
    const model = new ScriptedModel([functionCallResponse("ask")]);
    const asker = new LlmAgent({ name: "asker", model, tools: [ask] });
    const world = await createAgentWorld(new LoopAgent({ name: "loop", subAgents: [asker, speaker("b")] }));
    expect((await world.run("go")).map(brief)).toEqual(["asker: ask({})"]);
    expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["awaiting_input"]);
  });

  it("can be cancelled although no agent in it ever yields an event or waits", async () => {
    class Mute extends BaseAgent {
      protected override async *runAsyncImpl(): AsyncGenerator<Event> {}
    }
    const world = await createAgentWorld(new LoopAgent({ name: "loop", subAgents: [new Mute({ name: "mute" })] }));
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    const request = { userId: "ada", sessionId: "talk", newMessage: modelContent("go"), signal: abort.signal };
    const run = world.runner.runAsync({ ...request, newMessage: { parts: [{ text: "go" }] } });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
  });

  it.each([-1, 1.5, Number.NaN])("refuses %d passes by name", (maxIterations) => {
    expect(() => new LoopAgent({ name: "loop", maxIterations })).toThrow(/Agent "loop": maxIterations is/);
  });
});
