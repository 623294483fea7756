import { describe, expect, it } from "vitest";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AStarSearchStrategy } from "./a-star-search-strategy.ts";
import { DependencyGraphSearch } from "./dependency-graph-search.ts";
import { DfsSearchStrategy } from "./dfs-search-strategy.ts";
import { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";
import type { SearchRequest, SearchStrategy } from "./search-strategy.ts";

/** `"out < in1 in2"`: the agent `make-out` reads in1 and in2 and writes out. */
function agents(...lines: readonly string[]): readonly AgentMetadata[] {
  return lines.map((line) => {
    const [outputKey = "", inputs = ""] = line.split(" < ");
    return { agentName: `make-${outputKey}`, inputKeys: inputs.split(" ").filter((key) => key !== ""), outputKey };
  });
}

function request(metadata: readonly AgentMetadata[], goal: string, ...present: readonly string[]): SearchRequest {
  return { graph: new GoalOrientedSearchGraph(metadata), preconditions: new Set(present), goal };
}

const COUNCIL = agents(
  "answer",
  "ranking < answer",
  "agreements < answer",
  "disagreements < answer",
  "synthesis < answer ranking agreements disagreements",
  "ranks < ranking",
  "agreed < agreements",
  "disagreed < disagreements",
  "summary < synthesis ranks agreed disagreed",
);

const STRATEGIES: readonly (readonly [string, SearchStrategy])[] = [
  ["DfsSearchStrategy", new DfsSearchStrategy()],
  ["AStarSearchStrategy", new AStarSearchStrategy()],
];

describe.each(STRATEGIES)("%s", (_, strategy) => {
  it.each([
    ["one agent", request(agents("a"), "a"), [["make-a"]]],
    ["a chain", request(agents("c < b", "b < a", "a"), "c"), [["make-a"], ["make-b"], ["make-c"]]],
    ["a chain from a key that is present", request(agents("b < a", "c < b"), "c", "a"), [["make-b"], ["make-c"]]],
    ["two inputs", request(agents("a", "b", "c < a b"), "c"), [["make-a", "make-b"], ["make-c"]]],
    [
      "a diamond",
      request(agents("a", "b < a", "c < a", "d < b c"), "d"),
      [["make-a"], ["make-b", "make-c"], ["make-d"]],
    ],
    ["only the agents that the goal needs", request(agents("a", "x < a", "b < a", "y"), "b"), [["make-a"], ["make-b"]]],
    ["only agents whose output is missing", request(agents("a", "b < a", "c < a b"), "c", "a", "b"), [["make-c"]]],
    ["nothing if the goal is present", request(agents("a", "b < a"), "b", "b"), []],
    ["nothing if a goal that no agent writes is present", request(agents("a"), "x", "x"), []],
    [
      "an agent with a long way behind it in a late group",
      request(agents("a", "b < a", "c < b", "d", "e < c d"), "e"),
      [["make-a", "make-d"], ["make-b"], ["make-c"], ["make-e"]],
    ],
    [
      "a circle that a present key opens",
      request(agents("a < b", "b < a", "g < a"), "g", "b"),
      [["make-a"], ["make-g"]],
    ],
    ["a circle that the goal does not need", request(agents("a < b", "b < a", "g"), "g"), [["make-g"]]],
    [
      "keys with names of object members",
      request(agents("__proto__ < constructor", "constructor"), "__proto__"),
      [["make-constructor"], ["make-__proto__"]],
    ],
  ])("plans %s", (_title, given, groups) => {
    verifies("planners:search:dfs", "planners:search:a-star");
    expect(strategy.searchGrouped(given)).toEqual(groups);
  });

  it("plans a council of nine agents in four groups, and a smaller goal without the other branches", () => {
    expect(strategy.searchGrouped(request(COUNCIL, "summary"))).toEqual([
      ["make-answer"],
      ["make-ranking", "make-agreements", "make-disagreements"],
      ["make-synthesis", "make-ranks", "make-agreed", "make-disagreed"],
      ["make-summary"],
    ]);
    expect(strategy.searchGrouped(request(COUNCIL, "ranks"))).toEqual([
      ["make-answer"],
      ["make-ranking"],
      ["make-ranks"],
    ]);
  });

  it.each([
    [
      "a goal that no agent writes",
      request(agents("a"), "report"),
      'No plan produces the key "report": no agent writes "report", the goal, and the state does not have it: set it in the state before the run, or add an agent that writes it.',
      { goal: "report", keys: "report" },
    ],
    [
      "all inputs that no agent writes",
      request(agents("c < a b", "b < topic user:name", "a < topic"), "c"),
      'No plan produces the key "c": no agent writes "topic", which agent "make-a" reads, "user:name", which agent "make-b" reads, and the state does not have it: set it in the state before the run, or add an agent that writes it.',
      { goal: "c", keys: "topic, user:name" },
    ],
    [
      "agents that need each other",
      request(agents("g < a", "a < b", "b < a"), "g"),
      'No plan produces the key "g": agents depend on each other in a circle: agent "make-a" writes "a" and reads "b", agent "make-b" writes "b" and reads "a": remove one of these inputs, or set its key in the state before the run.',
      { goal: "g", keys: "a, b" },
    ],
    [
      "an agent that needs its own output",
      request(agents("a < a"), "a"),
      'No plan produces the key "a": agents depend on each other in a circle: agent "make-a" writes "a" and reads "a": remove one of these inputs, or set its key in the state before the run.',
      { goal: "a", keys: "a" },
    ],
  ])("refuses %s, and names keys and agents", (_title, given, message, details) => {
    expect(() => strategy.searchGrouped(given)).toThrow(
      expect.objectContaining({ reason: "GOAL_UNREACHABLE", message, details }),
    );
  });

  it("names the first eight of many keys", () => {
    const names = Array.from({ length: 5000 }, (_unused, index) => `k${index}`);
    const missing = request(agents(`g < ${names.join(" ")}`), "g");
    const circle = request(agents(...names.map((name, index) => `${name} < k${(index + 1) % names.length}`)), "k0");
    for (const given of [missing, circle]) {
      expect(() => strategy.searchGrouped(given)).toThrow(
        expect.objectContaining({ details: { goal: given.goal, keys: "k0, k1, k2, k3, k4, k5, k6, k7, 4992 more" } }),
      );
    }
  });

  it("plans a chain of 10,000 agents without recursion", () => {
    const metadata = agents("k0", ...Array.from({ length: 9_999 }, (_unused, index) => `k${index + 1} < k${index}`));
    const groups = strategy.searchGrouped(request(metadata, "k9999"));
    expect([groups.length, groups.at(0), groups.at(-1)]).toEqual([10_000, ["make-k0"], ["make-k9999"]]);
  });

  it("reads the inputs of each agent at most twice, however many agents could run next", () => {
    const layers = Array.from({ length: 20 }, (_unused, layer) =>
      Array.from({ length: 10 }, (_none, index) => {
        const inputs =
          layer === 0 ? "" : Array.from({ length: 10 }, (_input, input) => `k${layer - 1}-${input}`).join(" ");
        return `k${layer}-${index} < ${inputs}`;
      }),
    );
    const graph = new CountingGraph(agents(...layers.flat()));
    strategy.searchGrouped({ graph, preconditions: new Set(), goal: "k19-0" });
    expect(graph.reads).toBeGreaterThan(190);
    expect(graph.reads).toBeLessThanOrEqual(400);
  });

  it("agrees with dependency order on all graphs: the same agents, each after those whose output it reads", () => {
    fc.assert(
      fc.property(graphs, ({ metadata, present }) => {
        const given = request(metadata, "k0", ...present);
        let flat: readonly string[];
        try {
          flat = new DependencyGraphSearch().search(given);
        } catch (error) {
          // The search throws only errors.
          expect(() => strategy.searchGrouped(given)).toThrow(error as Error);
          return;
        }
        const groups = strategy.searchGrouped(given);
        expect(groups.flat().toSorted()).toEqual([...flat].toSorted());
        const available = new Set(present);
        const byName = new Map(metadata.map((entry) => [entry.agentName, entry]));
        for (const group of groups) {
          const entries = group.map((name) => byName.get(name));
          for (const entry of entries) expect(entry?.inputKeys.filter((key) => !available.has(key))).toEqual([]);
          for (const entry of entries) available.add(entry?.outputKey ?? "");
        }
        expect(new DfsSearchStrategy().searchGrouped(given)).toEqual(groups);
      }),
      { numRuns: 500 },
    );
  });
});

class CountingGraph extends GoalOrientedSearchGraph {
  reads = 0;

  override getDependencies(outputKey: string): readonly string[] {
    this.reads += 1;
    return super.getDependencies(outputKey);
  }
}

/** Keys k0 to k13; most inputs come from later keys, some from any key, so that there are circles and missing producers. */
const inputOf = (index: number) =>
  fc.oneof(
    { weight: 7, arbitrary: fc.integer({ min: index + 1, max: Math.max(index + 1, 13) }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 13 }) },
  );

const graphs = fc
  .tuple(...Array.from({ length: 12 }, (_, index) => fc.array(inputOf(index), { maxLength: 3 })))
  .chain((inputs) => {
    const metadata = inputs.map((keys, index) => ({
      agentName: `make-k${index}`,
      inputKeys: keys.map((key) => `k${key}`),
      outputKey: `k${index}`,
    }));
    return fc.record({
      metadata: fc.shuffledSubarray(metadata, { minLength: 11 }),
      present: fc.shuffledSubarray(["k3", "k7", "k11", "k12", "k13"], { minLength: 2 }),
    });
  });

describe("DependencyGraphSearch", () => {
  it("orders agents depth first from the goal, each after those whose outputs it reads", () => {
    verifies("planners:search:dependency-graph");
    const given = request(agents("d < c b", "b < a", "c < a", "a", "x"), "d");
    expect(new DependencyGraphSearch().search(given)).toEqual(["make-a", "make-c", "make-b", "make-d"]);
  });
});

describe("AStarSearchStrategy", () => {
  it("falls back to dependency order when a plan needs more agents than it may activate", () => {
    const given = request(COUNCIL, "summary");
    const groups = new DfsSearchStrategy().searchGrouped(given);
    const reads = [1, 8, 9].map((maxExpansions) => {
      const graph = new CountingGraph(COUNCIL);
      expect(new AStarSearchStrategy({ maxExpansions }).searchGrouped({ ...given, graph })).toEqual(groups);
      return graph.reads;
    });
    expect(reads).toEqual([27, 27, 9]);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s as the most expansions", (maxExpansions) => {
    expect(() => new AStarSearchStrategy({ maxExpansions })).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "maxExpansions" } }),
    );
  });
});
