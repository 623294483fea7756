import { describe, expect, it } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { modelContent } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import { createEventActions } from "../events/event-actions.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { ParallelAgent } from "./parallel-agent.ts";
import { SequentialAgent } from "./sequential-agent.ts";

function speaker(name: string, ...steps: readonly ScriptedStep[]): LlmAgent {
  return new LlmAgent({ name, model: new ScriptedModel(steps) });
}

/** An agent made of a function. */
class ScriptedAgent extends BaseAgent {
  readonly #run: (context: InvocationContext) => AsyncIterable<Event>;

  constructor(name: string, run: (context: InvocationContext) => AsyncIterable<Event>) {
    super({ name });
    this.#run = run;
  }

  protected override runAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return this.#run(context);
  }
}

const say = (context: InvocationContext, text: string): Event => context.createEvent({ content: modelContent(text) });

describe("ParallelAgent", () => {
  it("runs its sub-agents at the same time and gives their events as they come", async () => {
    verifies("agents:parallel:runs-sub-agents", "what-the-service-does:kit-parallel-agent");
    const gate = Promise.withResolvers<void>();
    const slow = speaker("slow", [gate.promise, { content: modelContent("slow is done") }]);
    const fast = speaker("fast", () => {
      queueMicrotask(gate.resolve);
      return "fast is done";
    });
    const world = await createAgentWorld(new ParallelAgent({ name: "team", subAgents: [slow, fast] }));
    const events = await world.run("go");
    expect(events.map((event) => [brief(event), event.branch])).toEqual([
      ["fast: fast is done", "team.fast"],
      ["slow: slow is done", "team.slow"],
    ]);
  });

  it("hides the events of one branch from the others, and shows them all to the agents behind", async () => {
    verifies("agents:parallel:isolated");
    const gate = Promise.withResolvers<void>();
    const early = speaker("early", "a finding");
    const lateModel = new ScriptedModel([functionCallResponse("wait"), "another finding"]);
    const wait = new FunctionTool({ name: "wait", description: "Waits.", execute: () => gate.promise });
    const late = new LlmAgent({ name: "late", model: lateModel, tools: [wait] });
    const writerModel = new ScriptedModel(["all told"]);
    const writer = new LlmAgent({ name: "writer", model: writerModel });
    const team = new ParallelAgent({ name: "team", subAgents: [early, late] });
    const world = await createAgentWorld(new SequentialAgent({ name: "all", subAgents: [team, writer] }));
    const running = world.run("go");
    await expect.poll(async () => (await world.session()).events.length).toBe(3);
    gate.resolve();
    await running;
    expect(JSON.stringify(lateModel.requests[1]?.contents)).not.toContain("a finding");
    const told = JSON.stringify(writerModel.requests[0]?.contents);
    expect([told.includes("a finding"), told.includes("another finding")]).toEqual([true, true]);
  });

  it("resumes an agent only when its event has become part of the session", async () => {
    const seen: string[] = [];
    const child = (name: string): BaseAgent =>
      new ScriptedAgent(name, async function* (context) {
        for (const number of [1, 2, 3]) {
          const event = say(context, `${name}${number}`);
          yield event;
          seen.push(`${name}${number} ${context.session.events.some(({ id }) => id === event.id)}`);
        }
      });
    const world = await createAgentWorld(new ParallelAgent({ name: "team", subAgents: [child("a"), child("b")] }));
    await world.run("go");
    expect(seen.toSorted()).toEqual(["a1 true", "a2 true", "a3 true", "b1 true", "b2 true", "b3 true"]);
  });

  it("ends the others when a sub-agent itself escalates, and not for an agent below one", async () => {
    const ended: string[] = [];
    const patient = (name: string): BaseAgent =>
      new ScriptedAgent(name, async function* (context) {
        yield say(context, "waiting");
        await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve(), { once: true }));
        ended.push(name);
        context.signal.throwIfAborted();
      });
    const escalate = (name: string): BaseAgent =>
      new ScriptedAgent(name, async function* (context) {
        yield context.createEvent({
          content: modelContent("enough"),
          actions: createEventActions({ escalate: true }),
        });
      });
    const team = new ParallelAgent({ name: "team", subAgents: [patient("waiter"), escalate("judge")] });
    const world = await createAgentWorld(team);
    expect((await world.run("go")).map(brief)).toEqual(["waiter: waiting", "judge: enough"]);
    expect(ended).toEqual(["waiter"]);

    const below = new SequentialAgent({ name: "row", subAgents: [escalate("deep")] });
    const other = await createAgentWorld(
      new ParallelAgent({ name: "team", subAgents: [below, speaker("talker", "still here")] }),
    );
    expect((await other.run("go")).map(brief).toSorted()).toEqual(["deep: enough", "talker: still here"]);
  });

  it("fails with the failing sub-agent's own error, ends the others, and keeps what was said", async () => {
    const ended: string[] = [];
    const steady = new ScriptedAgent("steady", async function* (context) {
      yield say(context, "half way");
      await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve(), { once: true }));
      ended.push("steady");
    });
    const broken = new ScriptedAgent("broken", async function* (context) {
      yield say(context, "here it comes");
      throw new TypeError("no such thing");
    });
    const world = await createAgentWorld(new ParallelAgent({ name: "team", subAgents: [steady, broken] }));
    await expect(world.run("go")).rejects.toMatchObject({ message: "TypeError: no such thing" });
    expect((await world.session()).events.map(brief)).toEqual([
      "user: go",
      "steady: half way",
      "broken: here it comes",
      "team: ! INTERNAL: TypeError: no such thing",
    ]);
    expect(ended).toEqual(["steady"]);
  });

  it("names branches below its own branch", async () => {
    const inner = new ParallelAgent({ name: "inner", subAgents: [speaker("leaf", "hi")] });
    const world = await createAgentWorld(new ParallelAgent({ name: "outer", subAgents: [inner] }));
    expect((await world.run("go")).map(({ branch }) => branch)).toEqual(["outer.inner.inner.leaf"]);
  });

  it("shares the state: what one sub-agent wrote is there for all, and the later of two writes stays", async () => {
    const keep = (name: string, text: string): LlmAgent =>
      new LlmAgent({ name, model: new ScriptedModel([text]), outputKey: name });
    const world = await createAgentWorld(
      new ParallelAgent({ name: "team", subAgents: [keep("a", "one"), keep("b", "two")] }),
    );
    await world.run("go");
    expect((await world.session()).state).toEqual({ a: "one", b: "two" });
  });

  it("ends immediately without sub-agents", async () => {
    const world = await createAgentWorld(new ParallelAgent({ name: "team" }));
    expect(await world.run("go")).toEqual([]);
  });

  it("keeps room in the history for the view of each sub-agent while they run, and no longer", async () => {
    const rooms: number[] = [];
    const team = new ParallelAgent({
      name: "team",
      subAgents: ["a", "b"].map(
        (name) =>
          new ScriptedAgent(name, async function* (context) {
            rooms.push(room);
            yield say(context, name);
          }),
      ),
    });
    const context = createInvocation({ agent: team });
    let room = 0;
    const { history } = context;
    const makeRoom = history.makeRoom.bind(history);
    history.makeRoom = (count) => {
      const made = makeRoom(count);
      room += count;
      return {
        [Symbol.dispose]: () => {
          room -= count;
          made[Symbol.dispose]();
        },
      };
    };
    expect((await Array.fromAsync(team.runAsync(context))).map(brief)).toEqual(["a: a", "b: b"]);
    expect([rooms, room]).toEqual([[2, 2], 0]);
  });
});
