import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { deriveAgentMetadata } from "#kit/planners/derive-agent-metadata.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FAILURE, maker, turn, worldOf } from "#test/helpers/planners/goal-world.ts";
import { createPlanning } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { DfsSearchStrategy } from "./dfs-search-strategy.ts";
import { GoalOrientedPlanner, type GoalOrientedPlannerOptions } from "./goal-oriented-planner.ts";
import type { SearchRequest, SearchStrategy } from "./search-strategy.ts";

describe("GoalOrientedPlanner", () => {
  it("runs the agents that the goal needs in the order of their inputs, and shows its plan", async () => {
    verifies("planners:goal-oriented:goal", "planners:goal-oriented:metadata", "planners:goal-oriented:order");
    const agents = [maker("report < facts figures"), maker("facts"), maker("poem"), maker("figures < facts")];
    const world = await worldOf("report", agents);
    const events = await world.run("Begin.");
    expect(events.map(brief)).toEqual([
      'desk: Plan for the goal "report":\n1. facts-maker\n2. figures-maker\n3. report-maker',
      "facts-maker: the facts",
      "figures-maker: the figures",
      "report-maker: the report",
    ]);
    expect(events[0]?.content?.parts?.[0]?.thought).toBe(true);
    expect((await world.session()).state).toEqual({
      facts: "the facts",
      figures: "the figures",
      report: "the report",
    });
  });

  it("runs agents that do not need each other's outputs at the same time, each on its branch", async () => {
    const agents = [maker("left"), maker("right"), maker("both < left right")];
    const world = await worldOf("both", agents);
    const events = await world.run("Begin.");
    expect(events.map(({ author, branch }) => `${author} ${branch}`)).toEqual([
      "desk undefined",
      "left-maker desk.left-maker",
      "right-maker desk.right-maker",
      "both-maker undefined",
    ]);
  });

  it("runs no agent whose output is in the state already, and none if the goal is", async () => {
    const agents = (): readonly LlmAgent[] => [maker("a"), maker("b < a"), maker("c < b")];
    expect(await turn("c", agents(), { state: { b: "" } })).toEqual([
      'desk: Plan for the goal "c":\n1. c-maker',
      "c-maker: the c",
    ]);
    expect(await turn("c", agents(), { state: { c: false } })).toEqual([
      'desk: The state has the goal "c": no agent has to run.',
    ]);
  });

  it("fails the run, and names key and agent, if an input is neither in the state nor written by an agent", async () => {
    const message =
      'No plan produces the key "b": no agent writes "topic", which agent "a-maker" reads, and the state does not have it: set it in the state before the run, or add an agent that writes it.';
    await expect(turn("b", [maker("a < topic"), maker("b < a")])).rejects.toThrow(
      expect.objectContaining({ message, cause: expect.objectContaining({ reason: "GOAL_UNREACHABLE" }) }),
    );
  });

  it("refuses metadata of an agent that is not a sub-agent when the agent is created", () => {
    const metadata = [deriveAgentMetadata(maker("a")), { agentName: "a-makre", inputKeys: [], outputKey: "x" }];
    const planner = new GoalOrientedPlanner({ goal: "a", metadata });
    expect(() => new PlannerAgent({ name: "desk", planner, subAgents: [maker("a")] })).toThrow(
      expect.objectContaining({
        reason: "INVALID_FIELD",
        details: { field: "metadata[1]" },
        message: 'metadata[1]: no sub-agent is named "a-makre": did you mean "a-maker"?',
      }),
    );
  });

  it("plans with the strategy that it is given, and with DfsSearchStrategy by default", async () => {
    verifies("planners:goal-oriented:search-strategy");
    const requests: SearchRequest[] = [];
    const strategy: SearchStrategy = {
      searchGrouped: (request) => {
        requests.push(request);
        return [["b-maker"], ["a-maker"]];
      },
    };
    const agents = (): readonly LlmAgent[] => [maker("a"), maker("b")];
    const [plan] = await turn("b", agents(), { searchStrategy: strategy, state: { seen: 1 } });
    expect(plan).toBe('desk: Plan for the goal "b":\n1. b-maker\n2. a-maker');
    expect(requests.map(({ goal, preconditions }) => [goal, ...preconditions])).toEqual([["b", "seen"]]);
    const planner = new GoalOrientedPlanner({ goal: "b", metadata: agents().map(deriveAgentMetadata) });
    expect(planner.searchStrategy).toBeInstanceOf(DfsSearchStrategy);
  });

  it("does not mix eight turns at the same time on one planner", async () => {
    const agents = [maker("start"), maker("left < start"), maker("right < start"), maker("end < left right")];
    const world = await worldOf("end", agents);
    const given = ["start", "left", "right"];
    const turns = Array.from({ length: 8 }, async (_, index) => {
      const keys = given.filter((_key, bit) => (index & (1 << bit)) !== 0);
      const state = Object.fromEntries(keys.map((key) => [key, "given"]));
      await world.store.createSession({ appName: "app", userId: "ada", id: `s${index}`, state });
      const newMessage = { role: "user", parts: [{ text: "Begin." }] } as const;
      const run = world.runner.runAsync({ userId: "ada", sessionId: `s${index}`, newMessage });
      const authors = (await Array.fromAsync(run)).map(({ author }) => author);
      const stored = await world.store.getSession({ appName: "app", userId: "ada", id: `s${index}` });
      return { keys, authors, state: stored?.state };
    });
    for (const { keys, authors, state } of await Promise.all(turns)) {
      const isGiven = (key: string): boolean => keys.includes(key);
      const needsStart = !(isGiven("start") || (isGiven("left") && isGiven("right")));
      const makers = [...(needsStart ? ["start"] : []), ...["left", "right"].filter((key) => !isGiven(key)), "end"];
      expect(authors).toEqual(["desk", ...makers.map((key) => `${key}-maker`)]);
      const made = Object.fromEntries(makers.map((key) => [key, `the ${key}`]));
      expect(state).toEqual({ ...made, ...Object.fromEntries(keys.map((key) => [key, "given"])) });
    }
  });
});

describe("outputs of earlier turns", () => {
  const agents = (): readonly LlmAgent[] => [maker("a"), maker("b < a")];

  it("count by default: the second turn has nothing to do", async () => {
    const world = await worldOf("b", agents());
    await world.run("Begin.");
    expect((await world.run("Again.")).map(brief)).toEqual(['desk: The state has the goal "b": no agent has to run.']);
  });

  it("do not count with freshOutputs, which each turn produces anew", async () => {
    const world = await worldOf("b", agents(), { freshOutputs: true });
    const first = (await world.run("Begin.")).map(brief);
    expect((await world.run("Again.")).map(brief)).toEqual(first);
    expect(first).toEqual(['desk: Plan for the goal "b":\n1. a-maker\n2. b-maker', "a-maker: the a", "b-maker: the b"]);
  });

  it("do not hide with freshOutputs that an agent has failed; keys that this turn sets count", async () => {
    const failing = [maker("a"), maker("b < a", ["the b", FAILURE])];
    const world = await worldOf("b", failing, { freshOutputs: true, replanPolicy: true });
    await world.run("Begin.");
    expect((await world.run("Again.", {}, { a: "given" })).map(brief)).toEqual([
      'desk: Plan for the goal "b":\n1. b-maker',
      "b-maker: ! MODEL_UNAVAILABLE: The model is down.",
      "desk: The plan stops: agents ended without their output: b-maker -> b.! PLAN_FAILED: The plan stops: agents ended without their output: b-maker -> b.",
    ]);
  });

  it("count with freshOutputs if preconditions list their keys", async () => {
    const circle = [maker("a < b"), maker("b < a"), maker("c < a")];
    const world = await worldOf("c", circle, { freshOutputs: true, preconditions: ["b"], state: { b: "given" } });
    const first = (await world.run("Begin.")).map(brief);
    expect(first).toEqual(['desk: Plan for the goal "c":\n1. a-maker\n2. c-maker', "a-maker: the a", "c-maker: the c"]);
    expect((await world.run("Again.")).map(brief)).toEqual(first);
  });

  it("count with freshOutputs for inputs that no agent writes, and temp: keys are always of this turn", async () => {
    const given = [maker("temp:a < topic"), maker("b < temp:a")];
    const world = await worldOf("b", given, { freshOutputs: true, replanPolicy: true, state: { topic: "bread" } });
    expect((await world.run("Begin.")).map(brief)).toEqual([
      'desk: Plan for the goal "b":\n1. a-maker\n2. b-maker',
      "a-maker: the temp:a",
      "b-maker: the b",
    ]);
  });
});

describe("temp: keys of this turn", () => {
  it("count with freshOutputs, although no event has them", () => {
    const agents = [maker("temp:a"), maker("b < temp:a")];
    const metadata = agents.map(deriveAgentMetadata);
    const planner = new GoalOrientedPlanner({ goal: "b", metadata, freshOutputs: true, replanPolicy: true });
    const plan = { groups: [["a-maker"], ["b-maker"]], group: 0, replans: 0 };
    expect(planner.nextAction(createPlanning(agents, { plan, state: { "temp:a": "the a" } }))).toMatchObject({
      kind: "RunAgents",
      plan: { group: 1 },
    });
  });
});

describe("a custom strategy", () => {
  it.each([
    [
      "an agent that is not there",
      [["nobody"]],
      'The search strategy of agent "desk" plans "nobody", which has no metadata: plan only "a-maker".',
    ],
    [
      "a sub-agent without metadata in a later group",
      [["a-maker"], ["idle"]],
      'The search strategy of agent "desk" plans "idle", which has no metadata: plan only "a-maker".',
    ],
    ["an agent twice in a group", [["a-maker", "a-maker"]], "RunAgents names an agent twice"],
  ])("that plans %s fails the run", async (_, groups, message) => {
    const searchStrategy: SearchStrategy = { searchGrouped: () => groups };
    const metadata = [deriveAgentMetadata(maker("a"))];
    const planner = new GoalOrientedPlanner({ goal: "a", metadata, searchStrategy });
    const subAgents = [maker("a"), new LlmAgent({ name: "idle", model: new ScriptedModel([]) })];
    const world = await createAgentWorld(new PlannerAgent({ name: "desk", planner, subAgents }));
    await expect(world.run("Begin.")).rejects.toMatchObject({
      details: { reason: "PLANNER_FAILED" },
      message: expect.stringContaining(message),
    });
    expect((await world.session()).state).toEqual({});
  });

  it.each([
    ["an error", new Error("broken strategy"), "PLANNER_FAILED"],
    ["another error of the platform", new PlatformError("INVALID_FIELD", "broken strategy"), "INVALID_FIELD"],
  ])("that throws %s fails the run when it plans again", async (_, error, reason) => {
    let searches = 0;
    const searchStrategy: SearchStrategy = {
      searchGrouped: () => {
        searches += 1;
        if (searches > 1) throw error;
        return [["a-maker"]];
      },
    };
    const replanPolicy = { kind: "Replan", maxAttempts: 1 } as const;
    await expect(turn("a", [maker("a", [FAILURE])], { searchStrategy, replanPolicy })).rejects.toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ reason }) }),
    );
  });
});

describe("the text of a plan", () => {
  it("has the first groups and names of a long plan", async () => {
    const wide = Array.from({ length: 25 }, (_, index) => maker(`w${index}`));
    const chain = Array.from({ length: 60 }, (_, index) => maker(index === 0 ? "c0" : `c${index} < c${index - 1}`));
    const all = [...wide, ...chain, maker(`goal < c59 ${wide.map((_agent, index) => `w${index}`).join(" ")}`)];
    const planner = new GoalOrientedPlanner({ goal: "goal", metadata: all.map(deriveAgentMetadata) });
    const action = planner.firstAction(createPlanning(all));
    const lines = (action.event?.content?.parts?.[0]?.text ?? "").split("\n");
    expect([lines.length, lines[1], lines.at(-2), lines.at(-1)]).toEqual([
      52,
      `1. ${Array.from({ length: 20 }, (_, index) => `w${index}-maker`).join(", ")}, 6 more`,
      "50. c49-maker",
      "and 11 more groups",
    ]);
  });
});

describe("a stored plan", () => {
  const planner = new GoalOrientedPlanner({ goal: "a", metadata: [deriveAgentMetadata(maker("a"))] });

  it.each([
    ["is incomplete", { groups: [["a-maker"]] }, "plan.group"],
    ["has an agent that the planner does not know", { groups: [["b-maker"]], group: 0, replans: 0 }, '"b-maker"'],
    [
      "has such an agent in a later group",
      { groups: [["a-maker"], ["a-maker"], ["a-maker", "b-maker"]], group: 0, replans: 0 },
      'it has the agent "b-maker", which has no metadata',
    ],
  ])("is refused if it %s", (_, plan, problem) => {
    expect(() => planner.nextAction(createPlanning([maker("a")], { plan, state: { a: "the a" } }))).toThrow(
      expect.objectContaining({ reason: "PLAN_INVALID", message: expect.stringContaining(problem) }),
    );
  });
});

describe("a stored plan of an agent that was changed", () => {
  it("continues if only agents of groups that have ended are missing", () => {
    const planner = new GoalOrientedPlanner({ goal: "b", metadata: [deriveAgentMetadata(maker("b"))] });
    const plan = { groups: [["a-maker"], ["b-maker"]], group: 1, replans: 0 };
    expect(planner.nextAction(createPlanning([maker("b")], { plan, state: { b: "the b" } }))).toEqual({ kind: "Done" });
  });
});

describe("the options of a GoalOrientedPlanner", () => {
  const metadata = [maker("report < facts"), maker("facts < topic")].map(deriveAgentMetadata);
  const circle = [maker("a < b"), maker("b < a")].map(deriveAgentMetadata);

  it.each<[string, object, string, string]>([
    ["no goal", { metadata }, "goal", "goal must be a non-empty string"],
    ["a goal that no agent writes", { goal: "reprot", metadata }, "goal", 'did you mean "report"?'],
    ["a goal without agents", { goal: "report", metadata: [] }, "goal", 'no agent writes the goal "report": add one'],
    ["no metadata", { goal: "report" }, "metadata", "metadata must be a list"],
    [
      "two agents that write one key",
      { goal: "facts", metadata: [...metadata, { agentName: "other", inputKeys: [], outputKey: "facts" }] },
      "metadata[2]",
      'agents "facts-maker" and "other" both write the key "facts"',
    ],
    [
      "agents that need each other's outputs",
      { goal: "a", metadata: circle },
      "metadata",
      'agent "a-maker" writes "a" and reads "b", agent "b-maker" writes "b" and reads "a"',
    ],
    [
      "an input that neither preconditions nor an agent gives",
      { goal: "report", metadata, preconditions: ["tone"] },
      "metadata",
      'no agent writes "topic", which agent "facts-maker" reads',
    ],
    [
      "an input that nothing gives, when the state is declared empty",
      { goal: "report", metadata, preconditions: [] },
      "metadata",
      'no agent writes "topic", which agent "facts-maker" reads',
    ],
    [
      "preconditions that are not keys",
      { goal: "report", metadata, preconditions: [""] },
      "preconditions",
      "state keys",
    ],
    ["a strategy that is none", { goal: "report", metadata, searchStrategy: {} }, "searchStrategy", "searchGrouped()"],
    ["an unknown option", { goal: "report", metadata, replan: true }, "replan", "replan is not an option"],
  ])("refuse %s when the planner is created", (_, options, field, message) => {
    // Plain JavaScript can pass anything.
    expect(() => new GoalOrientedPlanner(options as GoalOrientedPlannerOptions)).toThrow(
      expect.objectContaining({
        reason: "INVALID_FIELD",
        details: { field },
        message: expect.stringContaining(message),
      }),
    );
  });

  it("accept a circle that a precondition opens, and run from there", async () => {
    const agents = [maker("a < b"), maker("b < a"), maker("c < a")];
    expect(await turn("c", agents, { preconditions: ["b"], state: { b: "given" } })).toEqual([
      'desk: Plan for the goal "c":\n1. a-maker\n2. c-maker',
      "a-maker: the a",
      "c-maker: the c",
    ]);
  });
});
