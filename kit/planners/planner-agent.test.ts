import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { type Decide, run, ScriptedPlanner, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { LoopPlanner } from "./loop-planner.ts";
import type { Planner } from "./planner.ts";
import type { DecisionEvent } from "./planner-action.ts";
import { PlannerAgent, type PlannerAgentOptions } from "./planner-agent.ts";
import type { PlannerDescription } from "./planner-description.ts";
import type { PlanningContext } from "./planning-context.ts";
import { SequentialPlanner } from "./sequential-planner.ts";

function desk(decisions: readonly Decide[], options: Partial<PlannerAgentOptions> = {}): PlannerAgent {
  const subAgents = [new Speaker("a", { a: 1 }), new Speaker("b"), new Speaker("c")];
  return new PlannerAgent({ name: "desk", planner: new ScriptedPlanner(...decisions), subAgents, ...options });
}

async function runOf(agent: BaseAgent): Promise<readonly Event[]> {
  return (await createAgentWorld(agent)).run("go");
}

const briefOf = async (agent: BaseAgent): Promise<readonly string[]> => (await runOf(agent)).map(brief);

/** `description`: plain JavaScript can return anything. */
function describedAgent(description: unknown): PlannerAgent {
  const planner = Object.assign(new ScriptedPlanner(), { describe: () => description as PlannerDescription });
  return new PlannerAgent({ name: "desk", planner, subAgents: [new Speaker("a")] });
}

describe("PlannerAgent", () => {
  it("runs the sub-agents that its planner names, until it is done", async () => {
    verifies("agents:planner", "what-the-service-does:kit-planner-agent", "records:planner-action:run-agents");
    verifies("records:planner-action:done");
    expect(await briefOf(desk([run("b"), run("a"), run("b")]))).toEqual(["b: b", "a: a", "b: b"]);
    expect(await briefOf(desk([() => ({ kind: "Done" }), run("a")]))).toEqual([]);
  });

  it("ends with an event of its own that has the planner's result", async () => {
    verifies("records:planner-action:done-with-result");
    const [, result, ...more] = await runOf(desk([run("a"), () => ({ kind: "DoneWithResult", text: "All done." })]));
    expect(result).toMatchObject({ author: "desk", content: modelContent("All done."), actions: { stateDelta: {} } });
    expect(more).toEqual([]);
  });

  it("asks for the next action immediately after one that runs nothing", async () => {
    verifies("records:planner-action:no-op", "operations:planner:next-action");
    const skip: Decide = () => ({ kind: "NoOp" });
    expect(await briefOf(desk([skip, run("a"), skip, skip, run(), run("b")]))).toEqual(["a: a", "b: b"]);
  });

  it("initialises its planner once in a turn, before the first action, with the context of that turn", async () => {
    verifies("operations:planner:init", "operations:planner:first-action");
    const calls: unknown[] = [];
    const planner: Planner = {
      init: ({ userContent, plan }) => void calls.push(["init", userContent?.parts?.[0]?.text, plan]),
      firstAction: ({ findAgent }) => {
        calls.push("first");
        return { kind: "RunAgents", agents: [findAgent("a")] };
      },
      nextAction: () => {
        calls.push("next");
        return { kind: "Done" };
      },
    };
    const world = await createAgentWorld(desk([], { planner }));
    await world.run("one");
    await world.run("two");
    const turn = ["first", "next"];
    expect(calls).toEqual([["init", "one", {}], ...turn, ["init", "two", {}], ...turn]);
  });

  it("gives its planner the session as it is then: events, state, agents", async () => {
    verifies("planners:context:events", "planners:context:available-agents", "planners:context:invocation-context");
    const seen: unknown[] = [];
    const look: Decide = ({ events, stepEvents, availableAgents, state, invocationContext }) => {
      seen.push([events.map(brief), stepEvents.map(brief), { ...state }]);
      seen.push(
        availableAgents.map(({ name }) => name),
        invocationContext.agent.name,
      );
      return { kind: "Done" };
    };
    await runOf(desk([run("b"), run("a"), look]));
    const events = ["user: go", "b: b", "a: a"];
    expect(seen).toEqual([[events, ["a: a"], { a: 1 }], ["a", "b", "c"], "desk"]);
  });

  it("refuses the name of an agent that it does not have, with the names that it has", async () => {
    verifies("planners:context:find-agent");
    const world = await createAgentWorld(desk([run("d")]));
    await expect(world.run("go")).rejects.toMatchObject({
      details: { reason: "AGENT_NOT_FOUND" },
      message: 'Agent "desk" has no sub-agent "d": it has "a", "b", "c".',
    });
  });

  it("runs several agents at the same time, each on a branch of its own", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = new LlmAgent({
      name: "slow",
      model: new ScriptedModel([[gate.promise, { content: modelContent("slow is done") }]]),
    });
    const model = new ScriptedModel([
      () => {
        queueMicrotask(gate.resolve);
        return "fast is done";
      },
    ]);
    const last = new ScriptedModel(["seen"]);
    const subAgents = [slow, new LlmAgent({ name: "fast", model }), new LlmAgent({ name: "last", model: last })];
    const events = await runOf(desk([run("slow", "fast"), run("last")], { subAgents }));
    expect(events.map((event) => [brief(event), event.branch])).toEqual([
      ["fast: fast is done", "desk.fast"],
      ["slow: slow is done", "desk.slow"],
      ["last: seen", undefined],
    ]);
    expect(JSON.stringify(last.requests[0]?.contents)).toMatch(/fast is done.*slow is done/);
  });

  it("does nothing without sub-agents: its planner is not even initialised", async () => {
    const planner: Planner = {
      init: () => expect.unreachable(),
      firstAction: () => expect.unreachable(),
      nextAction: () => expect.unreachable(),
    };
    expect(await runOf(desk([], { planner, subAgents: [] }))).toEqual([]);
  });

  it("stops before the action after its last one, which is the 100th by default", async () => {
    verifies("limits:defaults:planner-agent-iterations");
    const endless: Planner = {
      firstAction: ({ findAgent }) => ({ kind: "RunAgents", agents: [findAgent("a")] }),
      nextAction: ({ findAgent }) => ({ kind: "RunAgents", agents: [findAgent("a")] }),
    };
    const skipping: Planner = { ...endless, firstAction: () => ({ kind: "NoOp" }) };
    expect(await runOf(desk([], { planner: endless, maxIterations: 3 }))).toHaveLength(3);
    expect(await runOf(desk([], { planner: endless }))).toHaveLength(100);
    expect(await runOf(desk([], { planner: skipping, maxIterations: 3 }))).toHaveLength(2);
  });

  it("asks its planner for as many actions as it may carry out, and no more", async () => {
    let asked = 0;
    const result: Decide = () => ({ kind: "DoneWithResult", text: "All done." });
    const decisions = [run("a"), () => ({ kind: "NoOp" }) as const, run("b"), result].map(
      (decide): Decide =>
        (context) => {
          asked += 1;
          return decide(context);
        },
    );
    expect(await briefOf(desk(decisions, { maxIterations: 3 }))).toEqual(["a: a", "b: b"]);
    expect(asked).toBe(3);
    expect(await briefOf(desk(decisions, { maxIterations: 4 }))).toEqual(["a: a", "b: b", "desk: All done."]);
    expect(asked).toBe(7);
  });

  it("can be cancelled although its planner runs nothing, again and again", async () => {
    const idle: Planner = { firstAction: () => ({ kind: "NoOp" }), nextAction: () => ({ kind: "NoOp" }) };
    const world = await createAgentWorld(desk([], { planner: idle, maxIterations: Number.MAX_SAFE_INTEGER }));
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    const newMessage = { parts: [{ text: "go" }] };
    const running = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: abort.signal });
    await expect(Array.fromAsync(running)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
  });

  it("stores each step's agents and plan on the first event of the step, and a decision before its agents", async () => {
    const thought = { content: { role: "model", parts: [{ text: "b, then c", thought: true }] } };
    const decide: Decide = (context) => ({ ...run("b", "c")(context), event: thought, plan: { aim: "c" } });
    const events = await runOf(desk([() => ({ kind: "NoOp", plan: { skipped: 1 } }), run("a"), decide, run("a")]));
    expect(events.map((event) => [brief(event), event.resumption?.agentState?.["desk"]])).toEqual([
      ["a: a", { iteration: 2, agents: ["a"], plan: { skipped: 1, position: 2 } }],
      ["desk: b, then c", { iteration: 3, agents: ["b", "c"], plan: { position: 3, aim: "c" } }],
      ["b: b", undefined],
      ["c: c", undefined],
      ["a: a", { iteration: 4, agents: ["a"], plan: { position: 4 } }],
    ]);
  });

  it("leaves escalations to a loop around it, unless its planner catches them", async () => {
    const judge = (): BaseAgent => new Speaker("judge", {}, { escalate: true });
    const loopAround = (planner: Planner): LoopAgent => {
      const subAgents = [new PlannerAgent({ name: "desk", planner, subAgents: [judge(), new Speaker("after")] })];
      return new LoopAgent({ name: "loop", maxIterations: 2, subAgents });
    };
    expect(await briefOf(loopAround(new SequentialPlanner()))).toEqual(["judge: judge"]);
    expect(await briefOf(loopAround(new LoopPlanner({ maxCycles: 2 })))).toEqual(["judge: judge", "judge: judge"]);
  });

  it("stores the members of a decision's event, and no other", async () => {
    const event = {
      content: modelContent("b"),
      modelVersion: "m-1",
      customMetadata: { rank: 1 },
      errorMessage: undefined,
    };
    // Plain JavaScript can set any member, and leave out maps of the actions.
    const forged = { ...event, author: "user", partial: true, id: "x", invocationId: "x", endOfAgent: true };
    const actions = { stateDelta: { aim: "b" } };
    const planner = new ScriptedPlanner(
      () => ({ kind: "NoOp", event: { ...forged, actions } as unknown as DecisionEvent }),
      run("b"),
    );
    const world = await createAgentWorld(desk([], { planner }));
    await world.run("go");
    const { events, state } = await world.session();
    expect(state).toEqual({ aim: "b" });
    const [user, decision, last] = events;
    expect(decision).toEqual({
      id: expect.not.stringMatching(/^x$/),
      invocationId: user?.invocationId,
      author: "desk",
      timestamp: expect.any(Number),
      content: modelContent("b"),
      actions: createEventActions(actions),
      modelVersion: "m-1",
      customMetadata: { rank: 1 },
      resumption: { agentState: { desk: { iteration: 1, agents: [], plan: { position: 1 } } } },
    });
    expect(last?.author).toBe("b");
  });

  it("is a sub-agent like others", async () => {
    const inner = new PlannerAgent({
      name: "inner",
      planner: new SequentialPlanner(),
      subAgents: [new Speaker("x"), new Speaker("y")],
    });
    expect(
      await briefOf(desk([run("a"), run("inner"), run("inner")], { subAgents: [new Speaker("a"), inner] })),
    ).toEqual(["a: a", "x: x", "y: y", "x: x", "y: y"]);
  });

  it.each<[string, unknown, unknown]>([
    ["as it does", { name: "Mine", links: [{ from: "a", to: "b", key: "k" }] }, undefined],
    ["without a description of its own", undefined, { name: "Planner", links: [] }],
  ])("describes its planner %s", (_, given, described = given) => {
    const agent = describedAgent(given);
    expect(agent.describePlanner()).toEqual(described);
  });

  it.each([
    null,
    "Mine",
    {},
    { name: "Mine" },
    { name: "Mine", links: [null] },
    { name: "Mine", links: [{ from: "a" }] },
  ])("refuses a planner that describes itself by %j", (given) => {
    expect(() => describedAgent(given)).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "planner" } }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a limit of %d actions", (maxIterations) => {
    expect(() => desk([], { maxIterations })).toThrow(/Agent "desk": maxIterations is/);
  });

  it("cannot run live", async () => {
    const live = desk([]).runLive(createInvocation());
    await expect(live.next()).rejects.toMatchObject({ reason: "LIVE_NOT_SUPPORTED" });
  });
});

describe("a planner that fails", () => {
  const failing = (planner: unknown): Promise<unknown> =>
    createAgentWorld(desk([], { planner: planner as Planner })).then((world) => world.run("go"));
  const returning = (action: unknown): unknown => ({ firstAction: () => action, nextAction: () => action });

  it.each(["init", "firstAction"])("fails the run with its error, the agent and the method: %s", async (method) => {
    const fail = (): never => {
      throw new TypeError("no such thing");
    };
    await expect(failing({ ...(returning({ kind: "Done" }) as object), [method]: fail })).rejects.toMatchObject({
      details: { reason: "PLANNER_FAILED" },
      message: `The planner of agent "desk" failed in ${method}: no such thing`,
    });
  });

  it.each([
    ["nothing", undefined, /it returned undefined: return \{ kind: "RunAgents"/],
    ["another kind", { kind: "Run" }, /it returned the kind "Run": return/],
    ["no agents", { kind: "RunAgents" }, /the agents of RunAgents are not a list/],
    ["a name", { kind: "RunAgents", agents: ["a"] }, /names an agent that is not a sub-agent/],
    ["a result without text", { kind: "DoneWithResult" }, /the text of DoneWithResult is missing/],
    ["a plan that is not JSON", { kind: "NoOp", plan: { seen: new Set() } }, /its plan is not a JSON object/],
    ["a kind that is not text", { kind: 1n }, /it returned a kind of the type bigint: return/],
    ["an event that is null", { kind: "NoOp", event: null }, /its event is not an object/],
    ["a text as its event", { kind: "Done", event: "Done." }, /its event is not an object/],
    ["content that is a text", { kind: "Done", event: { content: "Done." } }, /the content of its event must be/],
    [
      "parts that are texts",
      { kind: "Done", event: { content: { parts: ["a"] } } },
      /the content of its event must be/,
    ],
    ["actions of a list", { kind: "Done", event: { actions: [] } }, /the actions of its event must be/],
    [
      "changes of a text",
      { kind: "Done", event: { actions: { stateDelta: "a" } } },
      /the actions of its event must be/,
    ],
    [
      "an error code of a number",
      { kind: "Done", event: { errorCode: 1 } },
      /the errorCode of its event must be a text/,
    ],
    ["metadata with a function", { kind: "Done", event: { customMetadata: [() => 1] } }, /the customMetadata of its/],
    ["a plan without an end", { kind: "NoOp", plan: endless() }, /its plan is not a JSON object/],
  ])("fails the run if it returns %s", async (_, action, message) => {
    await expect(failing(returning(action))).rejects.toMatchObject({
      details: { reason: "PLANNER_FAILED" },
      message: expect.stringMatching(message),
    });
  });

  it("fails the run if it names an agent twice", async () => {
    const twice = ({ findAgent }: PlanningContext) => ({ kind: "RunAgents", agents: [findAgent("a"), findAgent("a")] });
    await expect(failing({ firstAction: twice, nextAction: twice })).rejects.toThrow(/names an agent twice/);
  });

  it.each([undefined, null, {}, { firstAction: () => ({ kind: "Done" }) }])(
    "is refused if it is not a planner: %j",
    (planner) => {
      expect(() => desk([], { planner: planner as unknown as Planner })).toThrow(
        /Agent "desk": planner is missing or is not a planner/,
      );
    },
  );
});

function endless(): object {
  const plan: { self?: object } = {};
  plan.self = plan;
  return plan;
}
