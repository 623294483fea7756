import { expect, it } from "vitest";
import type { AgentInfo } from "#ports/runs/runner-service.ts";
import { stateOfAgents } from "./add-session.ts";

it("has an empty text for each required name of the session's state, at any depth", () => {
  const leaf = agentOf("{city}");
  const middle = agentOf("{mood}, {temp:hint}, {user:name}, {city?}, {artifact.map} ${cost}", leaf);
  const state = stateOfAgents(agentOf("{place} and {__proto__}", middle));
  expect(Object.entries(state).sort()).toEqual([
    ["__proto__", ""],
    ["city", ""],
    ["mood", ""],
    ["place", ""],
  ]);
  expect(stateOfAgents({ subAgents: [] })).toEqual({});
});

function agentOf(instruction: string, ...subAgents: readonly AgentInfo[]): AgentInfo {
  return { name: "agent", description: "", type: "llm", tools: [], instruction, subAgents };
}
