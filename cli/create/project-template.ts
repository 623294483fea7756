export interface ProjectNames {
  readonly name: string;
  /** The version of this package. */
  readonly version: string;
}

type Files = Readonly<Record<string, string>>;

/** The versions of the tools that a project is checked and tested with. */
export const DEV_DEPENDENCIES: Readonly<Record<string, string>> = {
  "@types/node": "^26.6.6",
  typescript: "^7.0.2",
  vitest: "^5.1.1",
};

/** The files that both kinds of projects have, by path. */
export function projectFiles({ name, version }: ProjectNames): Files {
  return {
    "package.json": `${JSON.stringify(packageJson(name, version), null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    ".gitignore": GITIGNORE,
    ".env.example": ENV_EXAMPLE,
    "README.md": readme(name),
  };
}

export function typescriptAgent({ name }: ProjectNames): Files {
  return {
    [`agents/${name}/agent.ts`]: `import { LlmAgent } from "fairlead/kit";
import { rollDice } from "./roll-dice.ts";

export const rootAgent = new LlmAgent({
  name: "${name}",
  description: "Answers questions and rolls dice.",
  model: "demo/chat",
  instruction: "Answer briefly. When the user wants dice rolled, call roll_dice and report the result.",
  tools: [rollDice],
});
`,
    [`agents/${name}/roll-dice.ts`]: ROLL_DICE,
    [`agents/${name}/agent.test.ts`]: typescriptTest(name),
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
  Answer briefly. When the user wants dice rolled, call roll_dice and report the result.
tools:
  - name: roll_dice
`,
    [`agents/${name}/components.ts`]: `import type { ComponentRegistry } from "fairlead/definitions";
import { rollDice } from "./roll-dice.ts";

/** Registers the tools that the definitions of this folder name. */
export function registerComponents(registry: ComponentRegistry): void {
  registry.toolInstances.register("roll_dice", rollDice);
}
`,
    [`agents/${name}/roll-dice.ts`]: ROLL_DICE,
    [`agents/${name}/agent.test.ts`]: yamlTest(name),
  };
}

const GITIGNORE = `node_modules/
# Sessions, artifacts and memory of the server.
.data/
# Drafts of the developer UI's editor.
.draft/
# Keys.
.env
`;

const ENV_EXAMPLE = `# Copy this file to .env, which Git ignores. "fairlead serve", "run" and "check" read it.
# A variable of the environment is used in preference to the one here.

# GOOGLE_API_KEY=
# OPENAI_API_KEY=
# ANTHROPIC_API_KEY=

# Any setting of "fairlead help settings":
# PORT=8000
`;

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

const TSCONFIG = {
  compilerOptions: {
    target: "esnext",
    module: "nodenext",
    types: ["node"],
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
    scripts: {
      dev: "fairlead serve agents --watch --error-detail full",
      start: "fairlead serve agents --error-detail full",
      chat: "fairlead run agents",
      check: "tsc && fairlead check agents",
      test: "vitest run",
    },
    dependencies: { fairlead: `^${version}`, zod: "^4.0.0" },
    devDependencies: DEV_DEPENDENCIES,
  };
}

function readme(name: string): string {
  return `# ${name}

An agent on Fairlead. Every folder below \`agents/\` is an app; this project has one, \`agents/${name}\`.

\`\`\`bash
npm install
npm run dev      # the server with the developer UI; restarts when you change the agent
\`\`\`

Open the address that it prints, choose \`${name}\` and type "Roll two dice": the agent calls its tool \`roll_dice\`.

| command | what it does |
| --- | --- |
| \`npm run dev\` | serves the agents and restarts at each change |
| \`npm start\` | serves the agents |
| \`npm run chat\` | talks to the agent in the terminal |
| \`npm run check\` | checks types, and that every agent can be loaded |
| \`npm test\` | runs the tests, without a key |

The server is an HTTP API too; \`/docs\` on it describes every route:

\`\`\`bash
curl -X POST localhost:8000/apps/${name}/users/me/sessions/first
curl -N localhost:8000/run_sse -H 'Content-Type: application/json' -d '{
  "appName": "${name}", "userId": "me", "sessionId": "first", "streaming": true,
  "newMessage": {"role": "user", "parts": [{"text": "Roll two dice"}]}
}'
\`\`\`

## A real model

The agent uses \`demo/chat\`, a script that needs no key. Set another \`model\`, copy \`.env.example\` to \`.env\`, and set
the model's key there:

| model | variable | package to install |
| --- | --- | --- |
| \`gemini-3.8-flash\` | \`GOOGLE_API_KEY\` | none |
| \`gpt-6-luna\` | \`OPENAI_API_KEY\` | \`npm install openai\` |
| \`claude-sonnet-5-5\` | \`ANTHROPIC_API_KEY\` | \`npm install @anthropic-ai/sdk\` |

Git ignores \`.env\`, and \`.data\`, where the conversations are.
`;
}
