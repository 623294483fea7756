import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { AStarSearchStrategy } from "#kit/planners/goal-oriented/a-star-search-strategy.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import { LoopPlanner } from "#kit/planners/loop-planner.ts";
import { P2PPlanner } from "#kit/planners/p2p-planner.ts";
import { ParallelPlanner } from "#kit/planners/parallel-planner.ts";
import type { Planner } from "#kit/planners/planner.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import { SupervisorPlanner } from "#kit/planners/supervisor/supervisor-planner.ts";
import { Type } from "#kit/schema/shape.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createPlanning } from "#test/helpers/planners/scripted-planner.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { load, problemsOf, registry } from "#test/helpers/worlds/definitions.ts";

const FACTS = "name: facts\nmodel: demo/chat\ninstruction: Find facts about {topic}.\noutput_key: facts\n";
const REPORT = "name: report\nmodel: demo/chat\ninstruction: Report on {facts}.\noutput_key: report\n";
const DESK =
  "agent_class: PlannerAgent\nname: desk\nsub_agents: [{config_path: facts.yaml}, {config_path: report.yaml}]\n";

function desk(planner: string, rest = ""): Record<string, string> {
  return { "root_agent.yaml": `${DESK}${planner}\n${rest}`, "facts.yaml": FACTS, "report.yaml": REPORT };
}

async function plannerAgent(files: Record<string, string>, components = registry()): Promise<PlannerAgent> {
  const agent = await load(files, components);
  if (!(agent instanceof PlannerAgent)) throw new Error("The agent is of another class.");
  return agent;
}

const GOAL = "planner: {name: GoalOrientedPlanner, args: {goal: report}}";

describe("a PlannerAgent in YAML", () => {
  it.each<[string, new (...args: never[]) => Planner]>([
    ["planner: {name: SequentialPlanner}", SequentialPlanner],
    ["planner: {name: ParallelPlanner, args: {}}", ParallelPlanner],
    ["planner: {name: LoopPlanner, args: {maxCycles: 3}}", LoopPlanner],
    ["planner: {name: SupervisorPlanner, args: {model: demo/chat}}", SupervisorPlanner],
    [GOAL, GoalOrientedPlanner],
    ["planner: {name: P2PPlanner, args: {maxInvocations: 9}}", P2PPlanner],
  ])("has %s", async (planner, plannerClass) => {
    const agent = await plannerAgent(desk(planner));
    expect(agent.planner).toBeInstanceOf(plannerClass);
    expect([agent.name, agent.maxIterations, agent.subAgents.map(({ name }) => name)]).toEqual([
      "desk",
      100,
      ["facts", "report"],
    ]);
  });

  it("passes on the options of the agent and of its planner, in both spellings", async () => {
    const agent = await plannerAgent(
      desk("planner: {name: LoopPlanner, args: {max_cycles: 3}}", "description: Writes.\nmax_iterations: 7\n"),
    );
    expect(agent).toMatchObject({ description: "Writes.", maxIterations: 7, planner: { maxCycles: 3 } });
  });

  it("derives the metadata of its agents", async () => {
    const { planner } = await plannerAgent(desk(GOAL));
    if (!(planner instanceof GoalOrientedPlanner)) throw new Error("It has another planner.");
    expect(
      ["facts", "report"].map((key) => [planner.graph.getProducerAgent(key), planner.graph.getDependencies(key)]),
    ).toEqual([
      ["facts", ["topic"]],
      ["report", ["facts"]],
    ]);
    expect(planner).toMatchObject({ goal: "report", replanPolicy: { kind: "Ignore" }, freshOutputs: false });
  });

  it("takes all options of a goal-oriented planner, with metadata that cannot be derived", async () => {
    const { planner } = await plannerAgent({
      ...desk(`planner:
  name: GoalOrientedPlanner
  args:
    goal: report
    metadata: [{agent_name: facts, input_keys: [topic, tone], output_key: facts}]
    search_strategy: {name: AStarSearchStrategy}
    replan_policy: {kind: Replan, max_attempts: 2}
    preconditions: [topic, tone]
    fresh_outputs: true`),
      "facts.yaml": "agent_class: SequentialAgent\nname: facts\n",
    });
    if (!(planner instanceof GoalOrientedPlanner)) throw new Error("It has another planner.");
    expect(planner.graph.getDependencies("facts")).toEqual(["topic", "tone"]);
    expect(planner.searchStrategy).toBeInstanceOf(AStarSearchStrategy);
    expect(planner).toMatchObject({ replanPolicy: { kind: "Replan", maxAttempts: 2 }, freshOutputs: true });
  });

  it("takes all options of a supervisor, and a model that the program registered", async () => {
    const supervisor = async (args: string) =>
      (await plannerAgent(desk(`planner: {name: SupervisorPlanner, args: {${args}}}`))).planner;
    const args = "model: demo/chat, system_instruction: Be brief., max_events: 0, max_answers: 1";
    expect(await supervisor(args)).toMatchObject({ maxEvents: 0, maxAnswers: 1 });
    expect(await supervisor("modelCode: {name: fake}")).toMatchObject({ maxEvents: 20, maxAnswers: 3 });
  });

  it("passes the settings of the model to a supervisor's model", async () => {
    const components = registry();
    const model = new ScriptedModel([JSON.stringify({ decision: "done", agents: [], result: "" })]);
    components.instances.register("decider", model);
    const settings = "generate_content_config: {temperature: 0, maxOutputTokens: 50, labels: {max_a: b}}";
    const planner = `planner: {name: SupervisorPlanner, args: {modelCode: {name: decider}, ${settings}}}`;
    await (await createAgentWorld(await plannerAgent(desk(planner), components))).run("go");
    expect(model.requests[0]?.config).toMatchObject({ temperature: 0, maxOutputTokens: 50, labels: { max_a: "b" } });
  });

  it("takes all options of a P2P planner, and derives the metadata that is not given", async () => {
    const components = registry();
    const seen: unknown[] = [];
    components.instances.register("enough", (...given: readonly unknown[]) => seen.push(given) > 0);
    const args =
      "max_invocations: 9, exit_condition: {name: enough}, metadata: [{agentName: report, inputKeys: [a], outputKey: b}]";
    const { planner } = await plannerAgent(desk(`planner: {name: P2PPlanner, args: {${args}}}`), components);
    expect(planner).toMatchObject({
      maxInvocations: 9,
      metadata: [
        { agentName: "report", inputKeys: ["a"], outputKey: "b" },
        { agentName: "facts", inputKeys: ["topic"], outputKey: "facts" },
      ],
    });
    expect(await planner.nextAction(createPlanning([], { plan: { invocations: 3 }, state: { a: 1 } }))).toEqual({
      kind: "Done",
    });
    expect(seen).toEqual([[{ a: 1 }, 3]]);
  });

  it("has a planner that the program registered: an instance, or a class with fields of its own", async () => {
    const components = registry();
    const own = new SequentialPlanner();
    components.instances.register("own", own);
    const fields = Type.Object({ count: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
    components.plannerClasses.register("Repeat", {
      fields,
      fromConfig: (args) => new LoopPlanner({ maxCycles: Number(Reflect.get(args, "count")) }),
    });
    expect((await plannerAgent(desk("planner: {name: own}"), components)).planner).toBe(own);
    const repeat = await plannerAgent(desk("planner: {name: Repeat, args: {count: 4}}"), components);
    expect(repeat.planner).toMatchObject({ maxCycles: 4 });
    expect(await problemsOf(desk("planner: {name: Repeat, args: {count: 0}}"), components)).toEqual([
      "shop/root_agent.yaml:4:39 Expected an integer of 1 or more, found 0.",
    ]);
  });

  it("changes with its file, and keeps the last good version while the file is broken", async () => {
    const folder = agentsFolder(
      Object.fromEntries(Object.entries(desk(GOAL)).map(([name, text]) => [`shop/${name}`, text])),
    );
    const watch = { notices: false, debounceMs: 1, pollMs: 3_600_000 };
    const loader = new ConfigAgentLoader(folder.path, true, { registry: registry(), watch });
    onTestFinished(() => loader.close());
    const plannerAfter = async (definition: string): Promise<Planner> => {
      folder.write("shop/root_agent.yaml", `${DESK}${definition}`);
      await loader.refresh();
      const { rootAgent } = (await loader.loadAgent("shop")).app;
      if (!(rootAgent instanceof PlannerAgent)) throw new Error("The agent is of another class.");
      return rootAgent.planner;
    };
    expect(await plannerAfter(GOAL)).toBeInstanceOf(GoalOrientedPlanner);
    expect(await plannerAfter("planner: {name: ParallelPlanner}")).toBeInstanceOf(ParallelPlanner);
    expect(await plannerAfter("planner: {name: SerialPlanner}")).toBeInstanceOf(ParallelPlanner);
    expect(await plannerAfter(GOAL)).toBeInstanceOf(GoalOrientedPlanner);
  });

  it.each([
    ["no planner", "", '1:1 "planner" is missing.'],
    ["a planner that is only a name", "planner: SequentialPlanner", "4:10 Expected a map of fields, found the text"],
    [
      "an unknown planner",
      "planner: {name: SequentialPlaner}",
      '4:11 No planner "SequentialPlaner" is registered: did you mean "SequentialPlanner"?',
    ],
    [
      "a planner of an LLM agent",
      "planner: {name: PlanReActPlanner}",
      '4:11 "PlanReActPlanner" is registered, and is not a planner of a PlannerAgent',
    ],
    ["args that the planner does not take", "planner: {name: SequentialPlanner, args: {a: 1}}", "4:36 The planner"],
    ["args that are a list", "planner: {name: LoopPlanner, args: [3]}", "4:36 Expected a map, found a list."],
    ["no args", "planner: {name: LoopPlanner}", '4:10 "maxCycles" is missing.'],
    ["empty args", "planner: {name: LoopPlanner, args: }", '4:10 "maxCycles" is missing.'],
    [
      "an unknown argument",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, replan: true}}",
      '4:59 Unknown field "replan"',
    ],
    [
      "a goal that no agent writes",
      "planner: {name: GoalOrientedPlanner, args: {goal: reprot}}",
      '4:45 new GoalOrientedPlanner: no agent writes the goal "reprot": did you mean "report"?',
    ],
    [
      "an unknown search strategy",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, searchStrategy: {name: Dfs}}}",
      '4:44 No search strategy "Dfs" is registered.',
    ],
    [
      "a search strategy that is none",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, searchStrategy: {name: number}}}",
      '4:44 "number" is registered, and is not a search strategy.',
    ],
    [
      "a number of attempts without Replan",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, replanPolicy: {kind: Ignore, maxAttempts: 1}}}",
      '4:88 "maxAttempts" is for the kind Replan alone.',
    ],
    [
      "Replan without a number of attempts",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, replanPolicy: {kind: Replan}}}",
      '4:73 "maxAttempts" is missing.',
    ],
    [
      "metadata of an agent that is not below",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, metadata: [{agentName: fact, inputKeys: [], outputKey: x}]}}",
      '4:44 No sub-agent is named "fact": did you mean "facts"?',
    ],
    [
      "two agents that write one key",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, metadata: [{agentName: facts, inputKeys: [], outputKey: report}]}}",
      '4:44 metadata[1]: agents "facts" and "report" both write the key "report"',
    ],
    [
      "an input that nothing gives",
      "planner: {name: GoalOrientedPlanner, args: {goal: report, preconditions: [tone]}}",
      '4:44 new GoalOrientedPlanner: No plan produces the key "report": no agent writes "topic", which agent "facts" reads',
    ],
    [
      "an unknown setting of a supervisor's model",
      "planner: {name: SupervisorPlanner, args: {model: demo/chat, generateContentConfig: {temprature: 1}}}",
      '4:85 Unknown field "temprature": did you mean "temperature"?',
    ],
    ["a supervisor without a model", "planner: {name: SupervisorPlanner}", '4:10 Give "model" or "modelCode".'],
    [
      "a model that nobody serves",
      "planner: {name: SupervisorPlanner, args: {model: lama-3}}",
      '4:42 No model is registered for "lama-3".',
    ],
    [
      "a model that is none",
      "planner: {name: SupervisorPlanner, args: {modelCode: {name: number}}}",
      '4:42 "number" is registered, and is not a model.',
    ],
    [
      "an exit condition that is none",
      "planner: {name: P2PPlanner, args: {maxInvocations: 1, exitCondition: {name: number}}}",
      '4:35 "number" is registered, and is not a function.',
    ],
    [
      "no actions",
      "planner: {name: SequentialPlanner}\nmaxIterations: 0",
      "5:16 Expected an integer of 1 or more, found 0.",
    ],
  ])("with %s is refused at its line", async (_, planner, problem) => {
    expect(await problemsOf(desk(planner))).toEqual([expect.stringContaining(`shop/root_agent.yaml:${problem}`)]);
  });

  it("reports its own problems beside those of its agents, and no problem that follows from them", async () => {
    const files = { ...desk("planner: {name: LoopPlanner, args: {maxCycles: x}}"), "facts.yaml": "name: facts\n" };
    expect(await problemsOf(files)).toEqual([
      'shop/facts.yaml:1:1 "instruction" is missing.',
      'shop/root_agent.yaml:4:48 Expected an integer of 1 or more, found the text "x".',
    ]);
    expect(await problemsOf({ ...desk(GOAL), "report.yaml": "name: report\n" })).toEqual([
      'shop/report.yaml:1:1 "instruction" is missing.',
    ]);
  });

  it("with an agent whose metadata cannot be derived is refused with the fix", async () => {
    const files = { ...desk(GOAL), "facts.yaml": "agent_class: SequentialAgent\nname: facts\n" };
    expect(await problemsOf(files)).toEqual([
      'shop/root_agent.yaml:4:44 The metadata of agent "facts" cannot be derived: its kind is "sequential", and only an LLM agent\'s can be derived. Declare it: { agentName: "facts", inputKeys: [], outputKey: "…" }.',
    ]);
  });
});
