import { expect, it } from "vitest";
import type { AgentInfo } from "#ports/runs/runner-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { detailsOfApp } from "./details-of-app.ts";

function agent(name: string, members: Partial<AgentInfo> = {}): AgentInfo {
  return { name, description: "", type: "llm", tools: [], subAgents: [], ...members };
}

it("describes the agents that took part, at any depth, and no others", () => {
  verifies("platform:evaluation:agents-of-judges");
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const tools = [
    { name: "weather", description: "Of a city.", type: "tool", parameters },
    { name: "now", description: "The time.", type: "tool" },
  ] as const;
  const leaf = agent("leaf", { instruction: "Be {mood}.", tools });
  const rootAgent = agent("root", { subAgents: [agent("middle", { subAgents: [leaf] }), agent("idle", { tools })] });
  expect(detailsOfApp({ rootAgent }, new Set(["user", "root", "leaf"]))).toEqual({
    agentDetails: {
      root: { name: "root", toolDeclarations: [] },
      leaf: {
        name: "leaf",
        instructions: "Be {mood}.",
        toolDeclarations: [
          {
            functionDeclarations: [
              { name: "weather", description: "Of a city.", parameters },
              { name: "now", description: "The time." },
            ],
          },
        ],
      },
    },
  });
});
