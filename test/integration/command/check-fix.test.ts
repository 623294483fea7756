import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { fairlead, lacksTerminal } from "#test/helpers/worlds/command-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const KEYS = { GOOGLE_API_KEY: "key", OPENAI_API_KEY: "key" };
const TOOL = (name: string): string => `new FunctionTool({ name: "${name}", description: "Acts.", execute: () => 1 })`;

const REPAIRABLE = {
  "yaml/root_agent.yaml": "name: y\nmodel: gemini-2.0-flash # not gemini-2.0-flash-x\ninstruktion: Help {usr:name?}.\n",
  "both/root_agent.yaml": "name: b\nmodel: demo/chat\ninstruction: Help.\ninstrction: Help.\n",
  "code/agent.ts":
    'import { helper } from "./parts/helper";\nconsole.log("{ loaded");\nexport const rootAgent = helper;\n',
  "code/parts/helper.ts": `import { LlmAgent } from "fairlead/kit";
// It was made for gemini-2.0-flash.
export const helper = new LlmAgent({ name: "helper", model: "gemini-2.0-flash", instruction: "Hi {tmp:x?}." });
`,
};

it("makes the fixes that are certain, names them, and checks the result", async () => {
  verifies("platform:command:check:fix");
  const folder = agentsFolder(REPAIRABLE);
  const before = await fairlead(folder.path, ["check", "."], { environment: KEYS });
  expect(before.output).toContain("\nfairlead check --fix repairs 2 of these.\n");
  const { exitCode, output } = await fairlead(folder.path, ["check", ".", "--fix"], { environment: KEYS });
  expect(output.split("\n")).toEqual([
    "  fixed: code/agent.ts:1 ./parts/helper is now ./parts/helper.ts",
    "  fixed: yaml/root_agent.yaml:3 instruktion is now instruction",
    "  fixed: code/parts/helper.ts:3 gemini-2.0-flash is now gemini-3.5-flash-lite",
    "  fixed: code/parts/helper.ts:3 {tmp:x?} is now {temp:x?}",
    "  fixed: yaml/root_agent.yaml:2 gemini-2.0-flash is now gemini-3.5-flash-lite",
    "  fixed: yaml/root_agent.yaml:3 {usr:name?} is now {user:name?}",
    "",
    "  both  both/root_agent.yaml  broken",
    '    error: both/root_agent.yaml:4:1 Unknown field "instrction": did you mean "instruction"?',
    "  code  code/agent.ts         ok",
    "  yaml  yaml/root_agent.yaml  ok",
    "",
    "Some agents cannot be run.",
    "",
  ]);
  expect(exitCode).toBe(1);
  const read = (file: string): string => readFileSync(join(folder.path, file), "utf8");
  expect(read("yaml/root_agent.yaml")).toBe(
    "name: y\nmodel: gemini-3.5-flash-lite # not gemini-2.0-flash-x\ninstruction: Help {user:name?}.\n",
  );
  expect(read("both/root_agent.yaml")).toBe(REPAIRABLE["both/root_agent.yaml"]);
});

it("reports in JSON which repairs it can make, and which it has made", async () => {
  verifies("platform:command:check:fix");
  const folder = agentsFolder({ "a/root_agent.yaml": "name: a\nmodel: demo/chat\ninstruktion: Help.\n" });
  const parse = async (...more: readonly string[]) =>
    JSON.parse((await fairlead(folder.path, ["check", ".", "--json", ...more])).output);
  const repair = { from: "instruktion", to: "instruction" };
  expect((await parse()).apps[0].problems[1]).toMatchObject({ line: 3, column: 1, repair });
  expect(await parse("--fix")).toMatchObject({
    ok: true,
    repaired: [{ file: "a/root_agent.yaml", line: 3, ...repair }],
    apps: [{ problems: [] }],
  });
});

it("warns about names of tools that the model's provider does not take, and places missing packages", async () => {
  verifies("platform:command:check:linter");
  const folder = agentsFolder({
    "names/agent.ts": `import { FunctionTool, LlmAgent } from "fairlead/kit";
const tools = [${TOOL("look up")}, ${TOOL("a.b")}, ${TOOL("plain")}];
export const rootAgent = new LlmAgent({ name: "names", model: "gpt-6-luna", tools });
`,
    "gemini/agent.ts": `import { FunctionTool, LlmAgent } from "fairlead/kit";
export const rootAgent = new LlmAgent({ name: "gemini", model: "gemini-3.8-flash", tools: [${TOOL("a.b")}] });
`,
    "missing/agent.ts": 'import "fairlead/kit";\nimport pad from "left-padding";\nexport const rootAgent = pad;\n',
  });
  const { output } = await fairlead(folder.path, ["check", "."], { environment: KEYS });
  const given = (name: string, sent: string): string =>
    `The provider of gpt-6-luna does not take "${name}" as the name of a tool, and the model gets "${sent}": name the tool so.`;
  expect(output.split("\n").slice(0, 6)).toEqual([
    "  gemini   gemini/agent.ts   ok",
    "  missing  missing/agent.ts  broken",
    expect.stringMatching(
      /^ {4}error: missing\/agent\.ts:2:18 .*'left-padding'.* Install it: npm install left-padding$/,
    ),
    "  names    names/agent.ts    ok, with warnings",
    `    warning: names/agent.ts:2:35 ${given("look up", "look_up")}`,
    `    warning: names/agent.ts:2:114 ${given("a.b", "a_b")}`,
  ]);
});

it.skipIf(lacksTerminal())("has colours in a terminal, and none with NO_COLOR", async () => {
  verifies("platform:command:check:fix");
  const folder = agentsFolder({ "a/root_agent.yaml": "name: a\nmodel: demo/chat\ninstruction: Help.\n" });
  const shown = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    await using command = new CliProcess(["check", "."], {
      directory: folder.path,
      environment: { TERM: "xterm-256color", ...environment },
      isTerminal: true,
    });
    await command.until(/All agents can be run/);
    return command.output;
  };
  expect(await shown({})).toContain("\u001B[32mok\u001B[39m");
  expect(await shown({ NO_COLOR: "1" })).not.toContain("\u001B[");
});

it.skipIf(lacksTerminal())("shows who speaks in a terminal, and a sign while a run waits", async () => {
  const folder = agentsFolder({ "a/root_agent.yaml": "name: a\nmodel: demo/chat\ninstruction: Help.\n" });
  await using chat = new CliProcess(["run", "."], {
    directory: folder.path,
    environment: { TERM: "xterm-256color" },
    isTerminal: true,
  });
  await chat.until(/Talking to a\./);
  chat.child.stdin?.write("Hello\n\u0004");
  await chat.until(/⠋[^]*\r\u001B\[K\u001B\[1ma\u001B\[22m: /);
  await chat.ended;
  expect(chat.output).not.toContain("ERR_");
});
