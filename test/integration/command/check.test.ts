import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { fairlead } from "#test/helpers/worlds/command-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const GOOD = "name: good\nmodel: demo/chat\ninstruction: Help.\n";
const agent = (options: string): string =>
  `import { AgentTool, FunctionTool, LlmAgent } from "fairlead/kit";\nexport default new LlmAgent({ name: "root", ${options} });\n`;
const TOOL = 'new FunctionTool({ name: "act", description: "Acts.", execute: () => 1 })';

const BROKEN = {
  "good/root_agent.yaml": GOOD,
  "yaml/root_agent.yaml": "name: y\nmodel: demo/chat\ninstruction: |\nWrite a poem.\n",
  "g/p/root_agent.yaml": `${GOOD.replace("good", "p")}sub_agents:\n- config_path: parts/sub.yaml\n`,
  "g/p/parts/sub.yaml": "name: sub\nmodel: demo/chat\ninstruktion: Help.\n",
  "empty_module/agent.ts": "export const agent = 5;\n",
  "typo/agent.mjs": agent('instructon: "Help."'),
  "extension/agent.mjs": 'import { tool } from "./tools";\nexport const rootAgent = tool;\n',
  "no_key/agent.ts": agent(
    'tools: [new AgentTool({ agent: new LlmAgent({ name: "sub", model: "gpt-6-luna" }) })], model: "demo/chat"',
  ),
  "no_model/agent.ts": agent('model: "lama", subAgents: [new LlmAgent({ name: "sub" })]'),
  "tools/agent.ts": agent(`model: "demo/chat", tools: [${TOOL}, ${TOOL}]`),
  "both/agent.ts": agent('model: "demo/chat"'),
  "both/root_agent.yaml": GOOD,
  "dot.ted/root_agent.yaml": GOOD,
  "main/main.ts": "",
};

it("reports everything that is wrong with the agents of a folder, and exits with 1", async () => {
  verifies("platform:command:check");
  const folder = agentsFolder(BROKEN);
  const { exitCode, output } = await fairlead(folder.path, ["check", "."]);
  expect(output.split("\n")).toEqual([
    "  both          both/agent.ts          ok, with warnings",
    "    warning: both/root_agent.yaml is not used: agent.ts beside it is the app. Remove one of them.",
    "  empty_module  empty_module/agent.ts  broken",
    '    error: empty_module/agent.ts exports no agent: export "rootAgent" or "app".',
    "  extension     extension/agent.mjs    broken",
    expect.stringMatching(
      /^ {4}error: extension\/agent\.mjs:1:23 .*'tools'.* Write the file's extension in the import, as in "\.\/tools\.ts"\.$/,
    ),
    "  g.p           g/p/root_agent.yaml    broken",
    '    error: g/p/parts/sub.yaml:1:1 "instruction" is missing.',
    '    error: g/p/parts/sub.yaml:3:1 Unknown field "instruktion": did you mean "instruction"?',
    "  good          good/root_agent.yaml   ok",
    "  no_key        no_key/agent.ts        ok, with warnings",
    expect.stringMatching(
      /^ {4}warning: no_key\/agent\.ts:2:\d+ Model "gpt-6-luna" needs a key of OpenAI: set OPENAI_API_KEY.*\.env/,
    ),
    "  no_model      no_model/agent.ts      broken",
    expect.stringMatching(/^ {4}error: no_model\/agent\.ts:2:\d+ No model is registered for "lama"\./),
    "  tools         tools/agent.ts         broken",
    '    error: tools/agent.ts:2:92 Agent "root" has two tools named "act": give each its own name.',
    "  typo          typo/agent.mjs         broken",
    expect.stringMatching(
      /^ {4}error: typo\/agent\.mjs:2:\d+ .*there is not an option "instructon": did you mean "instruction"\?$/,
    ),
    "  yaml          yaml/root_agent.yaml   broken",
    expect.stringMatching(/^ {4}error: yaml\/root_agent\.yaml:4:1 Indent the text under `instruction: \|`/),
    "  warning: dot.ted is not served: the name of an app has no dot. Rename it.",
    expect.stringMatching(/^ {2}warning: main is not an app: it has none of agent\.ts, /),
    "",
    "fairlead check --fix repairs 1 of these.",
    "",
    "Some agents cannot be run.",
    "",
  ]);
  expect(exitCode).toBe(1);
});

const llm = (name: string, instruction: string, more = ""): string =>
  `new LlmAgent({ name: "${name}", model: "demo/chat", instruction: ${JSON.stringify(instruction)}${more} })`;

const inRow = (
  ...agents: readonly string[]
): string => `import { FunctionTool, LlmAgent, SequentialAgent } from "fairlead/kit";
export default new SequentialAgent({
  name: "root",
  subAgents: [
    ${agents.join(",\n    ")},
  ],
});
`;

const PLACEHOLDERS = {
  "row/agent.ts": inRow(
    llm("outliner", "Outline {topic?}.", ', outputKey: "outline"'),
    llm("drafter", "Write along {outline}, {outlin} and \\{text}."),
    llm("editor", 'Greet {users:name}. Answer as {type:string} or {"a": 1}.', ', instructionTemplates: "LENIENT"'),
    llm("other", "Also {outlin}."),
    llm("off", "Keep {nothing}.", ', instructionTemplates: "OFF"'),
  ),
  "tool/agent.ts": inRow(llm("a", "Read {key}.", `, tools: [${TOOL}]`)),
  "callback/agent.ts": inRow(llm("a", "Read {key}.", ", afterModelCallback: () => undefined")),
  "plugin/agent.ts": `import { createApp } from "fairlead/adk";
import { BasePlugin, LlmAgent } from "fairlead/kit";
export const app = createApp({ name: "plugin", rootAgent: ${llm("a", "Read {key}.")}, plugins: [new (class extends BasePlugin {})("p")] });
`,
  "own_class/agent.ts": `import { LlmAgent } from "fairlead/kit";
class Own extends LlmAgent {}
export const rootAgent = ${llm("a", "Read {key}.").replace("LlmAgent", "Own")};
`,
  "yaml/root_agent.yaml":
    "name: y\nmodel: demo/chat\ninstruction: Help.\nsub_agents:\n  - config_path: parts/sub.yaml\n",
  "yaml/parts/sub.yaml": "name: sub\nmodel: demo/chat\ninstruction: |\n  Greet the\n  user {nam}.\n",
  "remote/agent.ts": `import { RemoteA2AAgent } from "fairlead/a2a";
import { LlmAgent } from "fairlead/kit";
export const rootAgent = new RemoteA2AAgent({
  name: "far",
  agentCard: "http://localhost:9/card.json",
  subAgents: [${llm("near", "Help.")}],
});
`,
  "goal/agent.ts": `import { LlmAgent } from "fairlead/kit";
import { deriveAgentMetadata, GoalOrientedPlanner, PlannerAgent } from "fairlead/planners";
const team = [
  ${llm("finder", "Find.", ', outputKey: "facts"')},
  ${llm("writer", "Write from {facts}.", ', outputKey: "report"')},
  ${llm("idle", "Wait.", ', outputKey: "nothing"')},
];
export const rootAgent = new PlannerAgent({
  name: "goal",
  planner: new GoalOrientedPlanner({ goal: "report", metadata: team.map(deriveAgentMetadata) }),
  subAgents: team,
});
`,
};

it("warns about placeholders that nothing fills and agents that nothing runs, with file and line", async () => {
  verifies("platform:command:check:linter");
  const folder = agentsFolder(PLACEHOLDERS);
  const { exitCode, output } = await fairlead(folder.path, ["check", ".", "--json"]);
  const { apps } = JSON.parse(output);
  const found = apps.map((app: { name: string; problems: readonly Record<string, unknown>[] }) => [
    app.name,
    app.problems.map(({ level, file, line, column, message }) => `${level}: ${file}:${line}:${column} ${message}`),
  ]);
  const unwritten = (agent: string, key: string, hint = "."): string =>
    `Agent "${agent}" reads {${key}}, a state key that nothing in the app writes${hint} Give an agent the outputKey "${key}", or write {${key}?} if clients set it in the session's state.`;
  const near = ': did you mean "outline"?';
  expect(Object.fromEntries(found)).toEqual({
    callback: [],
    goal: [
      expect.stringMatching(
        /^warning: goal\/agent\.ts:6:\d+ Agent "idle" is unreachable: the planner of "goal" never runs it/,
      ),
    ],
    own_class: [],
    plugin: [],
    remote: [
      expect.stringMatching(
        /^warning: remote\/agent\.ts:6:\d+ Agent "near" is unreachable: its parent "far" is an agent of another server/,
      ),
    ],
    row: [
      `warning: row/agent.ts:6:94 ${unwritten("drafter", "outlin", near)}`,
      'warning: row/agent.ts:7:76 The instruction of agent "editor" has {users:name}, which is not a placeholder: did you mean {user:name}? Write \\{users:name} for text.',
      `warning: row/agent.ts:8:74 ${unwritten("other", "outlin", near)}`,
    ],
    tool: [],
    yaml: [`warning: yaml/parts/sub.yaml:5:8 ${unwritten("sub", "nam")}`],
  });
  expect(exitCode).toBe(0);
});

it("reports schedules that no server would keep, with file and line", async () => {
  verifies("platform:command:check:linter");
  const schedules = `
schedules:
  - {name: right, userId: news, cron: "0 9 * * MON-FRI", text: Hello}
  - {name: wrong, userId: news, cron: "0 99 * * *", text: Hello}
  - {name: zone, userId: news, cron: "0 8 * * *", timeZone: Europe/Pariss, text: Hello}
  - {name: over, userId: news, at: "2020-01-31T09:00:00Z", text: Hello}
  - {name: both, userId: news, cron: "0 7 * * *", text: Hello, catchUp: all}
`;
  const folder = agentsFolder({ "desk/root_agent.yaml": GOOD, "desk/app.yaml": schedules });
  const { exitCode, output } = await fairlead(folder.path, ["check", ".", "--json"]);
  const [{ problems }] = JSON.parse(output).apps;
  expect(
    problems.map(({ level, file, line, message }: Record<string, unknown>) => `${level} ${file}:${line} ${message}`),
  ).toEqual([
    expect.stringMatching(/^error desk\/app\.yaml:4 Schedule "wrong": .*cron/),
    expect.stringMatching(/^error desk\/app\.yaml:5 Schedule "zone": `timeZone` is not a time zone/),
    'warning desk/app.yaml:6 Schedule "over": its time is over. Remove it.',
    expect.stringMatching(/^error desk\/app\.yaml:7 Schedule "both": `catchUp: all`/),
  ]);
  expect(exitCode).toBe(1);
});

it("exits with 0 if nothing but warnings is found, and prints JSON", async () => {
  const folder = agentsFolder({ "good/root_agent.yaml": GOOD, "main/main.ts": "" });
  const { exitCode, output } = await fairlead(folder.path, ["check", ".", "--json"]);
  expect([exitCode, JSON.parse(output)]).toEqual([
    0,
    {
      ok: true,
      apps: [{ name: "good", file: "good/root_agent.yaml", language: "yaml", problems: [] }],
      problems: [{ level: "warning", file: "main", message: expect.stringContaining("is not an app") }],
    },
  ]);
});

it("checks a folder that is an app itself, and names what it looked for in a folder without apps", async () => {
  const folder = agentsFolder({ "agents/good/root_agent.yaml": GOOD, "none/notes.txt": "" });
  expect((await fairlead(folder.path, ["check", "agents/good"])).output).toMatch(
    /^ {2}good {2}root_agent\.yaml {2}ok\n/,
  );
  expect(await fairlead(folder.path, ["check", "none"])).toEqual({
    exitCode: 1,
    output: expect.stringMatching(
      /^ {2}error: No agents in "none"\. Each app is a folder .* agent\.ts, .*root_agent\.yaml/,
    ),
  });
  expect((await fairlead(folder.path, ["check", "."])).output).toContain(
    'warning: The names of all apps begin with "agents.": name the folder agents instead of ".".',
  );
});

it("ends although a module keeps the process alive", async () => {
  const folder = agentsFolder({ "good/agent.mjs": `setInterval(() => {}, 60_000);\n${agent('model: "demo/chat"')}` });
  expect((await fairlead(folder.path, ["check", "."])).exitCode).toBe(0);
});

it("happens when the server is ready, before the addresses of its pages are printed", async () => {
  verifies("platform:command:serve:check");
  const folder = agentsFolder(BROKEN);
  await using server = new CliProcess(["serve", folder.path, "--port", "0", "--session-store", "memory"], {
    directory: folder.path,
  });
  const [, url] = await server.until(
    /ready: (http:\S+)\/dev-ui[^]*yaml\/root_agent\.yaml:4:1 Indent[^]*API docs {2}.*\n/,
  );
  expect(server.output).toContain(
    `\n  Developer UI  ${url}/dev-ui\n  Console       ${url}/console\n  API docs      ${url}/docs\n`,
  );
});
