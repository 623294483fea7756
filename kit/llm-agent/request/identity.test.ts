import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { identity } from "./instructions.ts";

it.each([
  ["", 'You are an agent. Your internal name is "helper".'],
  ["Helps.", 'You are an agent. Your internal name is "helper". The description about you is "Helps.".'],
])("gives the model its name, and its description if there is one: %j", (description, instruction) => {
  const step = createStep({ agent: new LlmAgent({ name: "helper", description }) });
  identity(step);
  expect(step.request.systemInstruction).toBe(instruction);
});
