import type { Files, Template } from "./template.ts";

/** One agent with one tool. */
export const BASIC: Template = {
  about: "An agent with one tool, which rolls dice.",
  firstMessage: "Roll two dice",
  then: "the agent calls its tool `roll_dice`",
  files: typescriptFiles,
};

/** The same agent as a definition in YAML; only its tool is TypeScript. */
export const BASIC_YAML: Template = { ...BASIC, files: yamlFiles };

function typescriptFiles(name: string): Files {
  return {
    "agent.ts": `import { LlmAgent } from "fairlead/kit";
import { rollDice } from "./roll-dice.ts";

export const rootAgent = new LlmAgent({
  name: "${name}",
  description: "Answers questions and rolls dice.",
  model: "demo/chat",
  instruction: "Answer briefly. When the user wants dice rolled, call roll_dice and report the result.",
  tools: [rollDice],
});
`,
    "roll-dice.ts": ROLL_DICE,
    "agent.test.ts": typescriptTest(name),
  };
}

function yamlFiles(name: string): Files {
  return {
    "root_agent.yaml": `# yaml-language-server: $schema=../../agent-config.schema.json
name: ${name}
agent_class: LlmAgent
description: Answers questions and rolls dice.
model: demo/chat
instruction: |
  Answer briefly. When the user wants dice rolled, call roll_dice and report the result.
tools:
  - name: roll_dice
`,
    "components.ts": `import type { ComponentRegistry } from "fairlead/definitions";
import { rollDice } from "./roll-dice.ts";

/** Registers the tools that the definitions of this folder name. */
export function registerComponents(registry: ComponentRegistry): void {
  registry.toolInstances.register("roll_dice", rollDice);
}
`,
    "roll-dice.ts": ROLL_DICE,
    "agent.test.ts": yamlTest(name),
  };
}

const ROLL_DICE = `import { FunctionTool } from "fairlead/kit";
import { z } from "zod";

const SIDES = 6;

export const rollDice = new FunctionTool({
  name: "roll_dice",
  description: "Rolls dice with six sides.",
  parameters: z.object({ count: z.number().int().min(1).max(10).default(1).describe("How many dice.") }),
  execute: ({ count }) => {
    const rolls = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * SIDES));
    return { rolls, report: \`The dice show \${rolls.join(", ")}.\` };
  },
});
`;

function typescriptTest(name: string): string {
  return `import { createApp } from "fairlead/adk";
import { functionCalls, Runner, textOf, userContent } from "fairlead/kit";
import { defaultModelRegistry } from "fairlead/models";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
import { expect, it } from "vitest";
import { rootAgent } from "./agent.ts";

it("rolls the dice that the model asks for, and reports them", async () => {
  const runner = new Runner({ app: createApp({ name: "${name}", rootAgent }) });
${TEST_BODY}`;
}

function yamlTest(name: string): string {
  return `import { DirectoryAgentLoader } from "fairlead/definitions";
import { functionCalls, Runner, textOf, userContent } from "fairlead/kit";
import { defaultModelRegistry } from "fairlead/models";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
import { expect, it } from "vitest";

it("rolls the dice that the model asks for, and reports them", async () => {
  const loader = new DirectoryAgentLoader({ directory: "agents", hotReload: false });
  const { app } = await loader.loadAgent("${name}");
  const runner = new Runner({ app });
${TEST_BODY}`;
}

const TEST_BODY = `  // This script answers in place of every model, so that the test needs no key and has the same result each time.
  const model = new ScriptedModel([functionCallResponse("roll_dice", { count: 2 }), "There you are."]);
  defaultModelRegistry.register(/./, () => model);

  const { id: sessionId } = await runner.sessionService.createSession({ appName: runner.app.name, userId: "ada" });
  const run = runner.runAsync({ userId: "ada", sessionId, newMessage: userContent("Roll two dice") });
  const events = await Array.fromAsync(run);

  expect(events.flatMap(functionCalls).map(({ name, args }) => [name, args])).toEqual([["roll_dice", { count: 2 }]]);
  const results = events.flatMap(({ content }) => content?.parts?.flatMap((part) => part.functionResponse ?? []) ?? []);
  expect(results[0]?.response).toMatchObject({ rolls: [expect.any(Number), expect.any(Number)] });
  expect(textOf(events.at(-1)?.content)).toBe("There you are.");
  // The instruction reaches the model.
  expect(model.requests[0]?.systemInstruction).toContain("roll_dice");
});
`;
