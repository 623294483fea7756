import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { agentConfigSchema } from "./agent-config-schema.ts";

const FILE = "../agent-config.schema.json";
const validator = Compile(agentConfigSchema());
const BASE = { name: "a", instruction: "x" };

function supervised(args: object): object {
  return { agentClass: "PlannerAgent", name: "a", planner: { name: "SupervisorPlanner", args } };
}

describe("agentConfigSchema", () => {
  it(`is what ${FILE} holds`, () => {
    const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, FILE), "utf8"));
    expect(published, "Run: npm run generate").toEqual(agentConfigSchema());
  });

  it("accepts the sample definitions", () => {
    const folder = join(REPOSITORY_ROOT, "agents/travel_desk_yaml");
    const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
    expect(files).toHaveLength(3);
    const refused = files.filter((name) => !validator.Check(parse(readFileSync(join(folder, name), "utf8"))));
    expect(refused).toEqual([]);
  });

  it.each([
    BASE,
    { ...BASE, agent_class: "LlmAgent", output_key: "k", generate_content_config: { topK: 1, top_p: 0.5 } },
    { agentClass: "google.adk.agents.SequentialAgent", name: "a", subAgents: [{ config_path: "b.yaml" }] },
    { agentClass: "LoopAgent", name: "a", max_iterations: 0 },
    { agentClass: "ParallelAgent", name: "a", sub_agents: [{ code: "b" }] },
    { ...BASE, executor: { maxConcurrent: 2 } },
    { agentClass: "PlannerAgent", name: "a", planner: { name: "SequentialPlanner" }, max_iterations: 3 },
    { agentClass: "PlannerAgent", name: "a", planner: { name: "LoopPlanner", args: { max_cycles: 3 } } },
    {
      agentClass: "PlannerAgent",
      name: "a",
      planner: {
        name: "GoalOrientedPlanner",
        args: {
          goal: "report",
          metadata: [{ agentName: "b", inputKeys: ["c"], outputKey: "report" }],
          searchStrategy: { name: "AStarSearchStrategy" },
          replanPolicy: { kind: "Replan", maxAttempts: 2 },
          preconditions: ["c"],
          freshOutputs: true,
        },
      },
    },
    supervised({ model: "m", generateContentConfig: { temperature: 0 } }),
    supervised({ model: "m", generate_content_config: { top_p: 0.5 } }),
    { agentClass: "PlannerAgent", name: "a", planner: { name: "MyOwn", args: { any: 1 } } },
    { agentClass: "MyOwn", anything: true },
  ])("accepts %j", (config) => {
    expect(validator.Check(config)).toBe(true);
  });

  it.each([
    { name: "a" },
    { ...BASE, modle: "m" },
    { ...BASE, tools: ["t"] },
    { ...BASE, maxSteps: 0 },
    { ...BASE, executor: 2 },
    { agentClass: "SequentialAgent", ...BASE },
    { ...BASE, includeContents: "SOME" },
    { agentClass: "LoopAgent", name: "a", maxIterations: -1 },
    { agentClass: "ParallelAgent", name: "a", maxIterations: 1 },
    { agentClass: "PlannerAgent", name: "a" },
    { agentClass: "PlannerAgent", name: "a", planner: "SequentialPlanner" },
    { agentClass: "PlannerAgent", name: "a", planner: { name: "SequentialPlanner", args: { maxCycles: 1 } } },
    { agentClass: "PlannerAgent", name: "a", planner: { name: "LoopPlanner" } },
    { agentClass: "PlannerAgent", name: "a", planner: { name: "LoopPlanner", args: { maxCycles: 0 } } },
    { agentClass: "PlannerAgent", name: "a", planner: { name: "GoalOrientedPlanner", args: { gaol: "report" } } },
    supervised({ model: "m", generateContentConfig: { temprature: 0 } }),
  ])("refuses %j", (config) => {
    expect(validator.Check(config)).toBe(false);
  });
});
