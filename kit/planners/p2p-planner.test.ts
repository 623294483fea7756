import { describe, expect, it } from "vitest";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import type { PlannerAction } from "#kit/planners/planner-action.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { createPlanning, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { P2PPlanner, type P2PPlannerOptions } from "./p2p-planner.ts";

const describeAgent = (agentName: string, inputKeys: readonly string[], outputKey = agentName): AgentMetadata => ({
  agentName,
  inputKeys,
  outputKey,
});

/** Nine agents whose data lead from a first answer to a summary. */
const COUNCIL: readonly AgentMetadata[] = [
  describeAgent("initial_response", []),
  describeAgent("peer_ranking", ["initial_response"]),
  describeAgent("agreement_analysis", ["initial_response"]),
  describeAgent("disagreement_analysis", ["initial_response"]),
  describeAgent("final_synthesis", ["initial_response", "peer_ranking", "agreement_analysis", "disagreement_analysis"]),
  describeAgent("aggregate_rankings", ["peer_ranking"]),
  describeAgent("aggregate_agreements", ["agreement_analysis"]),
  describeAgent("aggregate_disagreements", ["disagreement_analysis"]),
  describeAgent("council_summary", [
    ...["final_synthesis", "aggregate_rankings", "aggregate_agreements", "aggregate_disagreements"],
  ]),
];

const COUNCIL_WAVES = [
  ["initial_response"],
  ["peer_ranking", "agreement_analysis", "disagreement_analysis"],
  ["final_synthesis", "aggregate_rankings", "aggregate_agreements", "aggregate_disagreements"],
  ["council_summary"],
];

interface World {
  readonly options: Partial<P2PPlannerOptions> & Pick<P2PPlannerOptions, "metadata">;
  readonly state?: JsonObject;
  /** What the agent writes in its n-th run, from 1; its name and the number of its run by default. */
  readonly write?: (agentName: string, run: number) => JsonObject;
}

/** The names of the agents of each step until the planner is done, when each agent writes its output. */
function wavesOf({ options, state = {}, write }: World): readonly (readonly string[])[] {
  const planner = new P2PPlanner({ maxInvocations: 100, ...options });
  const current: Record<string, JsonObject[string]> = { ...state };
  const context = { state: current };
  const agents = options.metadata.map(({ agentName }) => new Speaker(agentName));
  const waves: string[][] = [];
  const runs = new Map<string, number>();
  let plan: JsonObject = {};
  for (let method: "firstAction" | "nextAction" = "firstAction"; ; method = "nextAction") {
    // The plan as it is read back from a store.
    const action: PlannerAction = planner[method](createPlanning(agents, { ...context, plan: structuredClone(plan) }));
    if (action.kind !== "RunAgents") return waves;
    plan = { ...plan, ...action.plan };
    waves.push(action.agents.map(({ name }) => name));
    for (const { name } of action.agents) {
      const run = (runs.get(name) ?? 0) + 1;
      runs.set(name, run);
      const outputKey = options.metadata.find(({ agentName }) => agentName === name)?.outputKey ?? "";
      Object.assign(current, write?.(name, run) ?? { [outputKey]: `${name} ${run}` });
    }
  }
}

describe("P2PPlanner", () => {
  it("runs each agent once its input keys are in the state, all that are ready at the same time", () => {
    verifies("planners:p2p");
    expect(wavesOf({ options: { metadata: COUNCIL } })).toEqual(COUNCIL_WAVES);
    expect(wavesOf({ options: { metadata: COUNCIL.toReversed() } }).map((wave) => wave.toSorted())).toEqual(
      COUNCIL_WAVES.map((wave) => wave.toSorted()),
    );
  });

  it("is done when the other agents' inputs are missing", () => {
    const metadata = [describeAgent("a", ["topic"]), describeAgent("b", ["a", "never"])];
    expect(wavesOf({ options: { metadata } })).toEqual([]);
    expect(wavesOf({ options: { metadata }, state: { topic: "rivers" } })).toEqual([["a"]]);
  });

  it("runs every agent once, also if all outputs are in the state from the start", () => {
    const state = Object.fromEntries(COUNCIL.map(({ outputKey }) => [outputKey, "old"]));
    const same = (name: string): JsonObject => ({ [name]: "old" });
    expect(wavesOf({ options: { metadata: COUNCIL }, state, write: same })).toEqual([
      COUNCIL.map(({ agentName }) => agentName),
    ]);
  });

  it("runs an agent again when a value that it reads has changed, and no others", () => {
    const metadata = [
      describeAgent("drafter", [], "draft"),
      describeAgent("critic", ["draft"], "critique"),
      describeAgent("reviser", ["critique"], "draft"),
      describeAgent("clerk", ["topic"], "note"),
    ];
    const write = (name: string, run: number): JsonObject => {
      if (name === "critic") return { critique: run < 3 ? `weak ${run}` : "weak 2" };
      return name === "clerk" ? { note: "kept" } : { draft: `${name} ${run}` };
    };
    expect(wavesOf({ options: { metadata }, state: { topic: "rivers" }, write })).toEqual([
      ["drafter", "clerk"],
      ["critic"],
      ["reviser"],
      ["critic"],
      ["reviser"],
      ["critic"],
    ]);
  });

  it("counts a value as changed if it differs in content, not in the order of its keys", () => {
    const metadata = [describeAgent("a", ["x"], "x"), describeAgent("b", ["x"], "y")];
    const write = (name: string, run: number): JsonObject => {
      if (name === "b") return { y: 1 };
      return { x: run === 1 ? { two: [2, { deep: true }], one: 1 } : { one: 1, two: [2, { deep: run < 3 }] } };
    };
    expect(wavesOf({ options: { metadata }, state: { x: { one: 1, two: [2, { deep: true }] } }, write })).toEqual([
      ["a", "b"],
    ]);
    const changing = (name: string, run: number): JsonObject => (name === "b" ? { y: 1 } : { x: Math.min(run, 2) });
    expect(wavesOf({ options: { metadata }, state: { x: 0 }, write: changing })).toEqual([
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("does not count names that every object has, and null, as values", () => {
    const metadata = [describeAgent("a", ["constructor"]), describeAgent("b", ["empty"])];
    expect(wavesOf({ options: { metadata }, state: { empty: null } })).toEqual([]);
  });

  it("starts no more agents once it has started as many as it may", () => {
    const metadata = COUNCIL;
    expect(wavesOf({ options: { metadata, maxInvocations: 9 } })).toEqual(COUNCIL_WAVES);
    expect(wavesOf({ options: { metadata, maxInvocations: 8 } })).toEqual(COUNCIL_WAVES.slice(0, 3));
    // The agents of one step are started together.
    expect(wavesOf({ options: { metadata, maxInvocations: 2 } })).toEqual(COUNCIL_WAVES.slice(0, 2));
  });

  it("is done when its exit condition holds after a step, before it starts others", () => {
    const seen: unknown[] = [];
    const exitCondition = (state: JsonObject, invocations: number): boolean => {
      seen.push([Object.keys(state).length, invocations]);
      return "peer_ranking" in state;
    };
    expect(wavesOf({ options: { metadata: COUNCIL, exitCondition } })).toEqual(COUNCIL_WAVES.slice(0, 2));
    expect(seen).toEqual([
      [1, 1],
      [4, 4],
    ]);
  });

  it("refuses metadata of an agent that is not there", () => {
    const planner = new P2PPlanner({ metadata: [describeAgent("ghost", [])], maxInvocations: 1 });
    expect(() => new PlannerAgent({ name: "desk", planner, subAgents: [new Speaker("a")] })).toThrow(
      'metadata[0]: no sub-agent is named "ghost": the sub-agents are "a".',
    );
  });

  it.each<[string, object, RegExp]>([
    ["no limit", { metadata: [] }, /^new P2PPlanner: maxInvocations must be an integer of at least 1, not undefined/],
    ["a limit of 0", { metadata: [], maxInvocations: 0 }, /maxInvocations must be an integer of at least 1, not 0/],
    ["no metadata", { maxInvocations: 1 }, /^new P2PPlanner: metadata must be a list of agent metadata/],
    [
      "metadata without keys",
      { metadata: [{ agentName: "a" }], maxInvocations: 1 },
      /^metadata\[0\]: give \{ agentName/,
    ],
    [
      "an agent twice",
      { metadata: [describeAgent("a", []), describeAgent("a", [], "b")], maxInvocations: 1 },
      /^metadata\[1\]: agent "a" is described twice/,
    ],
    ["no function", { metadata: [], maxInvocations: 1, exitCondition: true }, /exitCondition must be a function/],
  ])("refuses %s", (_, options, message) => {
    // Plain JavaScript can pass anything.
    expect(() => new P2PPlanner(options as P2PPlannerOptions)).toThrow(message);
  });

  it.each<JsonObject>([{}, { invocations: -1 }, { invocations: 1, "inputs:a": 5 }])(
    "refuses the stored plan %j",
    (plan) => {
      const planner = new P2PPlanner({ metadata: [describeAgent("a", [])], maxInvocations: 1 });
      expect(() => planner.nextAction(createPlanning([new Speaker("a")], { plan }))).toThrow(
        /cannot be continued: plan\b/,
      );
    },
  );
});
