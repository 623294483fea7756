import { describe, expect, it } from "vitest";
import type { AgentInfo } from "#ports/runs/runner-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { drawAgentGraph, highlightPairs } from "./agent-graph.ts";

function agent(name: string, rest: Partial<AgentInfo> = {}): AgentInfo {
  return { name, description: "", type: "llm", tools: [], subAgents: [], ...rest };
}

const TEAM = agent("desk", {
  tools: [
    { name: "get_weather", description: "", type: "tool" },
    { name: "expert", description: "", type: "agent" },
    { name: "search_docs", description: "", type: "retrieval" },
  ],
  subAgents: [agent("billing")],
});

describe("the drawing of an app's agents", () => {
  it("has a node for each agent and tool, with the shape and caption of its kind, and plain lines", () => {
    expect(drawAgentGraph(TEAM)).toBe(`digraph "agents" {
  graph [rankdir="LR", bgcolor="#333537"];
  "desk" [label="🤖 desk", shape="ellipse", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];
  "get_weather" [label="🔧 get_weather", shape="box", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];
  "desk" -> "get_weather" [color="#CCCCCC", arrowhead="none"];
  "expert" [label="🤖 expert", shape="ellipse", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];
  "desk" -> "expert" [color="#CCCCCC", arrowhead="none"];
  "search_docs" [label="🔎 search_docs", shape="cylinder", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];
  "desk" -> "search_docs" [color="#CCCCCC", arrowhead="none"];
  "billing" [label="🤖 billing", shape="ellipse", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];
  "desk" -> "billing" [color="#CCCCCC", arrowhead="none"];
}
`);
  });

  it("marks the path of an event: forward for a call, backward for its answer", () => {
    verifies("endpoints-http:event-graph:real");
    const root = agent("desk", { tools: [{ name: "get_weather", description: "", type: "tool" }] });
    const marked = `"desk" [label="🤖 desk", shape="ellipse", style="filled,rounded", fillcolor="#0F5223", color="#0F5223", fontcolor="#CCCCCC"];
  "get_weather" [label="🔧 get_weather", shape="box", style="filled,rounded", fillcolor="#0F5223", color="#0F5223", fontcolor="#CCCCCC"];`;
    const head = `digraph "agents" {\n  graph [rankdir="LR", bgcolor="#333537"];\n  `;
    expect(drawAgentGraph(root, { highlights: [["desk", "get_weather"]] })).toBe(
      `${head}${marked}\n  "desk" -> "get_weather" [color="#69CB87"];\n}\n`,
    );
    expect(drawAgentGraph(root, { highlights: [["get_weather", "desk"]] })).toBe(
      `${head}${marked}\n  "desk" -> "get_weather" [color="#69CB87", dir="back"];\n}\n`,
    );
  });

  it("draws workflow agents as boxes, with arrows in the order of execution", () => {
    const loop = agent("polish", { type: "loop", subAgents: [agent("critic"), agent("editor")] });
    const parallel = agent("research", { type: "parallel", subAgents: [agent("web"), agent("books")] });
    const root = agent("pipeline", { type: "sequential", subAgents: [parallel, agent("writer"), loop] });
    const dot = drawAgentGraph(root);
    expect(dot.match(/subgraph ".*"/g)).toEqual([
      'subgraph "cluster_pipeline (Sequential Agent)"',
      'subgraph "cluster_research (Parallel Agent)"',
      'subgraph "cluster_polish (Loop Agent)"',
    ]);
    expect(dot.match(/"\w+" -> "\w+"/g)).toEqual([
      '"critic" -> "editor"',
      '"editor" -> "critic"',
      '"web" -> "writer"',
      '"books" -> "writer"',
      '"writer" -> "critic"',
    ]);
  });

  it("draws planner agents as boxes with their planner's name, and an arrow for each link", () => {
    const links = [
      { from: "facts", to: "writer", key: "facts" },
      { from: "figures", to: "writer", key: "figures" },
    ];
    const inner = agent("desk", {
      type: "planner",
      planner: { name: "GoalOrientedPlanner", links },
      subAgents: [agent("writer"), agent("facts"), agent("figures")],
    });
    const round = [
      { from: "critic", to: "editor" },
      { from: "editor", to: "critic" },
    ];
    const loop = agent("polish", {
      type: "planner",
      planner: { name: "LoopPlanner", links: round },
      subAgents: [agent("critic"), agent("editor")],
    });
    const dot = drawAgentGraph(agent("pipeline", { type: "sequential", subAgents: [agent("start"), inner, loop] }));
    expect(dot.match(/subgraph ".*"/g)).toEqual([
      'subgraph "cluster_pipeline (Sequential Agent)"',
      'subgraph "cluster_desk (GoalOrientedPlanner)"',
      'subgraph "cluster_polish (LoopPlanner)"',
    ]);
    expect(dot.match(/"\w+" -> "\w+"(?:.*label="\w+")?/g)).toEqual([
      '"facts" -> "writer" [color="#CCCCCC", arrowhead="normal", label="facts"',
      '"figures" -> "writer" [color="#CCCCCC", arrowhead="normal", label="figures"',
      '"critic" -> "editor"',
      '"editor" -> "critic"',
      '"start" -> "facts"',
      '"start" -> "figures"',
      '"writer" -> "critic"',
      '"writer" -> "editor"',
    ]);
  });

  it("draws a planner agent without agents as a node, and leaves out links of agents that are not there", () => {
    const planner = { name: "Planner", links: [{ from: "a", to: "b" }] };
    expect(drawAgentGraph(agent("desk", { type: "planner", planner }))).toContain('"desk" [label="🤖 desk"');
    const dot = drawAgentGraph(agent("desk", { type: "planner", planner, subAgents: [agent("a")] }));
    expect(dot).not.toContain("->");
  });

  it("keeps hostile names inside their quotes", () => {
    const name = 'a"]; b -> c [label="\\\n\u0000';
    const dot = drawAgentGraph(agent("root", { subAgents: [agent(name)] }));
    expect(dot.split("\n").slice(3, 5)).toEqual([
      '  "a\\"]; b -> c [label=\\"\\\\\\n" [label="🤖 a\\"]; b -> c [label=\\"\\\\\\n", shape="ellipse", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];',
      '  "root" -> "a\\"]; b -> c [label=\\"\\\\\\n" [color="#CCCCCC", arrowhead="none"];',
    ]);
  });

  it("draws a tool that two agents share once", () => {
    const shared = { name: "clock", description: "", type: "tool" } as const;
    const dot = drawAgentGraph(agent("a", { tools: [shared], subAgents: [agent("b", { tools: [shared] })] }));
    expect(dot.match(/^ {2}"clock"/gm)).toEqual(['  "clock"']);
  });
});

describe("what an event links", () => {
  it.each([
    [
      "each call",
      [{ functionCall: { name: "x" } }, { functionCall: { name: "y" } }],
      [
        ["desk", "x"],
        ["desk", "y"],
      ],
    ],
    ["each answer", [{ functionResponse: { name: "x" } }], [["x", "desk"]]],
    ["only its author", [{ text: "hi" }], [["desk", ""]]],
  ])("is %s", (_title, parts, pairs) => {
    expect(highlightPairs({ author: "desk", content: { parts } })).toEqual(pairs);
  });
});
