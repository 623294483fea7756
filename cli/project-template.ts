export interface ProjectNames {
  readonly name: string;
  /** The version of this package. */
  readonly version: string;
}

type Files = Readonly<Record<string, string>>;

/** The files that both kinds of projects have, by path. */
export function projectFiles({ name, version }: ProjectNames): Files {
  return {
    "package.json": `${JSON.stringify(packageJson(name, version), null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    ".gitignore": "node_modules/\n.data/\ndata/\n.draft/\n.env\n",
    "README.md": readme(name),
  };
}

export function typescriptAgent({ name }: ProjectNames): Files {
  return {
    [`agents/${name}/agent.ts`]: `import { LlmAgent } from "agentplane/kit";
import { rollDice } from "./roll-dice.ts";

export const rootAgent = new LlmAgent({
  name: "${name}",
  description: "Answers questions and rolls dice.",
  model: "demo/chat",
  instruction: "Answer briefly. When the user wants dice rolled, call roll_dice and tell what came up.",
  tools: [rollDice],
});
`,
    [`agents/${name}/roll-dice.ts`]: ROLL_DICE,
  };
}

export function yamlAgent({ name }: ProjectNames): Files {
  return {
    [`agents/${name}/root_agent.yaml`]: `# yaml-language-server: $schema=../../agent-config.schema.json
name: ${name}
agent_class: LlmAgent
description: Answers questions and rolls dice.
model: demo/chat
instruction: |
  Answer briefly. When the user wants dice rolled, call roll_dice and tell what came up.
tools:
  - name: roll_dice
`,
    [`agents/${name}/components.ts`]: `import type { ComponentRegistry } from "agentplane/kit";
import { rollDice } from "./roll-dice.ts";

/** Registers the tools that the definitions of this folder name. */
export function registerComponents(registry: ComponentRegistry): void {
  registry.toolInstances.register("roll_dice", rollDice);
}
`,
    [`agents/${name}/roll-dice.ts`]: ROLL_DICE,
  };
}

const ROLL_DICE = `import { FunctionTool } from "agentplane/kit";
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

const TSCONFIG = {
  compilerOptions: {
    target: "esnext",
    module: "nodenext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ["agents"],
};

function packageJson(name: string, version: string): object {
  return {
    name: name.toLowerCase(),
    private: true,
    type: "module",
    scripts: { start: "agentplane serve agents --error-detail full", chat: "agentplane run agents" },
    dependencies: { agentplane: `^${version}`, zod: "^4.0.0" },
  };
}

function readme(name: string): string {
  return `# ${name}

An agent on Agentplane. Every folder below \`agents/\` is an app; this project has one, \`agents/${name}\`.

    agentplane serve agents     in the browser, and as an HTTP API
    agentplane run agents       in the terminal

Say "Roll two dice" to see it call a tool.

## A real model

The agent uses \`demo/chat\`, a script that needs no key. Set another \`model\` and its key:

| model | variable |
| --- | --- |
| \`gemini-2.5-flash\` | \`GOOGLE_API_KEY\` |
| \`gpt-5-mini\` | \`OPENAI_API_KEY\` |
| \`claude-sonnet-4-5\` | \`ANTHROPIC_API_KEY\` |
`;
}
