import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { deriveAgentMetadata } from "#kit/planners/derive-agent-metadata.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FAILURE, type GoalOptions, maker, turn } from "#test/helpers/planners/goal-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AStarSearchStrategy } from "./a-star-search-strategy.ts";
import { GoalOrientedPlanner, type GoalOrientedPlannerOptions } from "./goal-oriented-planner.ts";

describe("ReplanPolicy", () => {
  const unavailable = (agent: string): string => `${agent}: ! MODEL_UNAVAILABLE: The model is down.`;
  const stop = (text: string): string => `desk: ${text}! PLAN_FAILED: ${text}`;

  it("Ignore goes through the rest of the plan, and is the default", async () => {
    verifies("records:replan-policy:ignore", "planners:goal-oriented:replan-policy");
    const agents = (): readonly LlmAgent[] => [maker("a", [FAILURE]), maker("b < a"), maker("c < b")];
    const events = [
      'desk: Plan for the goal "c":\n1. a-maker\n2. b-maker\n3. c-maker',
      unavailable("a-maker"),
      "b-maker: the b",
      "c-maker: the c",
    ];
    expect(await turn("c", agents())).toEqual(events);
    expect(await turn("c", agents(), { replanPolicy: { kind: "Ignore" } })).toEqual(events);
    expect(await turn("c", agents(), { replanPolicy: false })).toEqual(events);
  });

  it("FailStop ends the turn with an error message that names agents and keys; true is the same", async () => {
    verifies("records:replan-policy:fail-stop", "planners:goal-oriented:boolean");
    const agents = (): readonly LlmAgent[] => [
      maker("a", [FAILURE]),
      maker("b"),
      maker("c", [FAILURE]),
      maker("d < a b c"),
    ];
    const events = [
      'desk: Plan for the goal "d":\n1. a-maker, b-maker, c-maker\n2. d-maker',
      unavailable("a-maker"),
      "b-maker: the b",
      unavailable("c-maker"),
      stop("The plan stops: agents ended without their output: a-maker -> a, c-maker -> c."),
    ];
    expect(await turn("d", agents(), { replanPolicy: { kind: "FailStop" } })).toEqual(events);
    expect(await turn("d", agents(), { replanPolicy: true })).toEqual(events);
  });

  it("FailStop ends the turn if the last group did not write the goal", async () => {
    expect((await turn("a", [maker("a", [FAILURE])], { replanPolicy: true })).at(-1)).toBe(
      stop("The plan stops: agents ended without their output: a-maker -> a."),
    );
  });

  it("Replan computes the rest from the current state: only the agents that failed run again", async () => {
    verifies("records:replan-policy:replan");
    const agents = [maker("a"), maker("b < a", [FAILURE, "the b"]), maker("c < a"), maker("d < b c")];
    expect(await turn("d", agents, { replanPolicy: { kind: "Replan", maxAttempts: 1 } })).toEqual([
      'desk: Plan for the goal "d":\n1. a-maker\n2. b-maker, c-maker\n3. d-maker',
      "a-maker: the a",
      unavailable("b-maker"),
      "c-maker: the c",
      'desk: Agents ended without their output: b-maker -> b. Plan 2 for the goal "d":\n1. b-maker\n2. d-maker',
      "b-maker: the b",
      "d-maker: the d",
    ]);
  });

  it.each([1, 3])("Replan permits %i attempts after the first run", async (maxAttempts) => {
    const failing = maker("a", [FAILURE]);
    const events = await turn("a", [failing], { replanPolicy: { kind: "Replan", maxAttempts } });
    expect(events.filter((event) => event === unavailable("a-maker"))).toHaveLength(maxAttempts + 1);
    expect(events.at(-1)).toBe(
      stop(
        `The plan stops, max replan attempts (${maxAttempts}) exhausted: agents ended without their output: a-maker -> a.`,
      ),
    );
  });

  it("Replan counts attempts in a row: a group without failure starts the count again", async () => {
    const agents = [
      maker("a", [FAILURE, "the a"]),
      maker("b < a", [FAILURE, "the b"]),
      maker("c < b", [FAILURE, "the c"]),
    ];
    const events = await turn("c", agents, { replanPolicy: { kind: "Replan", maxAttempts: 1 } });
    expect(events.at(-1)).toBe("c-maker: the c");
  });

  it("Replan ends the turn when the goal is in the state, although its agent has not run", async () => {
    const sets = (): LlmResponse => ({ ...FAILURE });
    const agents = [
      new LlmAgent({
        name: "a-maker",
        model: new ScriptedModel([sets]),
        outputKey: "a",
        afterAgentCallback: (context) => void context.state.set("b", "from elsewhere"),
      }),
      maker("b < a"),
    ];
    expect((await turn("b", agents, { replanPolicy: { kind: "Replan", maxAttempts: 1 } })).at(-1)).toBe(
      'desk: Agents ended without their output: a-maker -> a. The state has the goal "b": no agent has to run.',
    );
  });

  it("Replan ends the turn with the cause when no new plan is possible", async () => {
    const agents = [
      new LlmAgent({
        name: "a-maker",
        model: new ScriptedModel([FAILURE]),
        instruction: "About {topic}.",
        outputKey: "a",
        afterAgentCallback: (context) => void context.state.delete("topic"),
      }),
    ];
    const options: GoalOptions = { replanPolicy: { kind: "Replan", maxAttempts: 2 }, state: { topic: "bread" } };
    expect((await turn("a", agents, options)).at(-1)).toBe(
      stop(
        'The plan stops, replanning failed (No plan produces the key "a": no agent writes "topic", which agent "a-maker" reads, and the state does not have it: set it in the state before the run, or add an agent that writes it.): agents ended without their output: a-maker -> a.',
      ),
    );
  });

  it("Replan works with the forward search too", async () => {
    const agents = [maker("a", [FAILURE, "the a"]), maker("b < a")];
    const options: GoalOptions = {
      replanPolicy: { kind: "Replan", maxAttempts: 1 },
      searchStrategy: new AStarSearchStrategy(),
    };
    expect((await turn("b", agents, options)).slice(2)).toEqual([
      'desk: Agents ended without their output: a-maker -> a. Plan 2 for the goal "b":\n1. a-maker\n2. b-maker',
      "a-maker: the a",
      "b-maker: the b",
    ]);
  });

  it.each([
    [{ kind: "Replan", maxAttempts: 0 }, "replanPolicy.maxAttempts"],
    [{ kind: "Replan", maxAttempts: -1 }, "replanPolicy.maxAttempts"],
    [{ kind: "Replan", maxAttempts: 1.5 }, "replanPolicy.maxAttempts"],
    [{ kind: "Replan" }, "replanPolicy.maxAttempts"],
    [{ kind: "Retry" }, "replanPolicy"],
    [null, "replanPolicy"],
    ["Ignore", "replanPolicy"],
  ])("refuses %j", (replanPolicy, field) => {
    // Plain JavaScript can pass anything.
    const options = { replanPolicy } as GoalOrientedPlannerOptions;
    const metadata = [deriveAgentMetadata(maker("a"))];
    expect(() => new GoalOrientedPlanner({ ...options, goal: "a", metadata })).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
    );
  });
});
