import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { transfer } from "./transfer.ts";

function requestOf(agent: LlmAgent) {
  const step = createStep({ agent });
  transfer(step);
  return { text: step.request.systemInstruction, tools: [...step.request.tools.keys()] };
}

it("names the agents that the model may hand over to, and its parent once more", () => {
  const below = new LlmAgent({ name: "below", description: "Is below." });
  const child = new LlmAgent({ name: "child", subAgents: [below] });
  const parent = new LlmAgent({ name: "parent", description: "Is above.", subAgents: [child] });
  for (const _ of ["first", "second"]) {
    const { text, tools } = requestOf(child);
    expect(tools).toEqual(["transfer_to_agent"]);
    expect(text).toContain("Agent name: below\nAgent description: Is below.\n\nAgent name: parent\nAgent description:");
    expect(text).toMatch(/hand over to your parent agent parent\.$/);
  }
  expect(requestOf(parent).text).toMatch(/Agent name: child\n(?!.*your parent agent)/s);
  expect(requestOf(new LlmAgent({ name: "alone" }))).toEqual({ text: "", tools: [] });
});
