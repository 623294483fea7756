import { describe, expect, it } from "vitest";
import type { AgentInfo } from "#ports/runs/runner-service.ts";
import { drawStructure } from "./structure-graph.ts";

const AGENT: AgentInfo = { name: "desk", type: "llm", description: "Answers.", tools: [], subAgents: [] };

function linesOf(root: AgentInfo): string[] {
  const lines = drawStructure(root, true).split("\n");
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('"'));
}

describe("drawStructure", () => {
  it("draws a tool that two agents share once, with an edge from each", () => {
    const search = { name: "search", description: "", type: "tool" } as const;
    const child: AgentInfo = { ...AGENT, name: "clerk", tools: [search] };
    expect(linesOf({ ...AGENT, tools: [search], subAgents: [child] })).toEqual([
      '"desk" [label="✦ desk", tooltip="Answers."];',
      '"search" [label="🔧 search", tooltip="tool", style="rounded,filled,dashed"];',
      '"desk" -> {"search"} [style="dashed"];',
      '"clerk" [label="✦ clerk", tooltip="Answers."];',
      '"clerk" -> {"search"} [style="dashed"];',
      '"desk" -> "clerk";',
    ]);
  });

  it("shows the planner of a planner agent, and below it its agents in the order of their links, with their keys", () => {
    const links = [{ from: "facts", to: "writer", key: "facts" }];
    const planner = { name: "GoalOrientedPlanner", links };
    const subAgents = [
      { ...AGENT, name: "writer" },
      { ...AGENT, name: "facts" },
    ];
    expect(linesOf({ ...AGENT, name: "desk", type: "planner", planner, description: "", subAgents })).toEqual([
      '"desk" [label="⊷ desk (GoalOrientedPlanner)", tooltip="planner"];',
      '"writer" [label="✦ writer", tooltip="Answers."];',
      '"facts" [label="✦ facts", tooltip="Answers."];',
      '"desk" -> "facts";',
      '"facts" -> "writer" [label="facts"];',
    ]);
    const round = [
      { from: "writer", to: "facts" },
      { from: "facts", to: "writer" },
    ];
    const loop: AgentInfo = {
      ...AGENT,
      name: "desk",
      type: "planner",
      planner: { name: "LoopPlanner", links: round },
      subAgents,
    };
    expect(linesOf(loop).filter((line) => line.includes("->"))).toEqual([
      '"desk" -> "writer";',
      '"desk" -> "facts";',
      '"writer" -> "facts";',
      '"facts" -> "writer";',
    ]);
  });

  it("shows the kind of a workflow agent, and the order of its children", () => {
    const subAgents = [
      { ...AGENT, name: "first" },
      { ...AGENT, name: "second" },
    ];
    expect(linesOf({ ...AGENT, name: "line", type: "sequential", description: "", subAgents })).toEqual([
      '"line" [label="⊷ line (sequential)", tooltip="sequential"];',
      '"first" [label="✦ first", tooltip="Answers."];',
      '"line" -> "first" [label="1"];',
      '"second" [label="✦ second", tooltip="Answers."];',
      '"line" -> "second" [label="2"];',
    ]);
  });
});
