import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { emptyFolder, fairlead } from "#test/helpers/worlds/command-world.ts";

/** An agent that answers with variables of its environment. */
const AGENT = `import { BaseAgent, modelContent } from "fairlead/kit";
class Reader extends BaseAgent {
  async *runAsyncImpl(context) {
    const { FIRST, SECOND, THIRD } = process.env;
    yield context.createEvent({ content: modelContent([FIRST, SECOND, THIRD].join(" ")) });
  }
}
export const rootAgent = new Reader({ name: "reader" });
`;

function project(dotEnv: string | undefined): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, "desk/agents/reader"), { recursive: true });
  writeFileSync(join(folder, "desk/agents/reader/agent.mjs"), AGENT);
  writeFileSync(join(folder, "desk/package.json"), "{}");
  if (dotEnv !== undefined) writeFileSync(join(folder, "desk/.env"), dotEnv);
  return folder;
}

const DOT_ENV = `\ufeffFIRST=one\r\nSECOND="two words" # a comment\r\nTHIRD=file\r\nMAX_LLM_CALLS=7\r\n`;

it("is read beside the package.json of the agents, and the environment is used in preference", async () => {
  verifies("platform:command:dot-env");
  const environment = { THIRD: "environment", FIRST: "" };
  const answer = { exitCode: 0, output: "reader: one two words environment\n" };
  const folder = project(DOT_ENV);
  const input = "go\n";
  expect(await fairlead(folder, ["run", "desk/agents"], { input, environment })).toEqual(answer);
  expect(await fairlead(join(folder, "desk"), ["run", "agents"], { input, environment })).toEqual(answer);
});

it("of the current folder is read instead, if there is one", async () => {
  const folder = project(DOT_ENV);
  writeFileSync(join(folder, ".env"), "FIRST=here\n");
  const { output } = await fairlead(folder, ["run", "desk/agents"], { input: "go\n" });
  expect(output).toBe("reader: here  \n");
});

it("may contain settings, whose problems do not show its other values", async () => {
  const folder = project("MAX_LLM_CALLS=many\nGOOGLE_API_KEY=secret-key\n");
  expect(await fairlead(folder, ["run", "desk/agents"])).toEqual({
    exitCode: 1,
    output: expect.stringMatching(/^fairlead: MAX_LLM_CALLS must be a whole number [^\n]*, not "many"\.\n$/),
  });
});

it("is optional, and reported if it cannot be read", async () => {
  const folder = project(undefined);
  expect((await fairlead(folder, ["run", "desk/agents"], { input: "go\n" })).output).toBe("reader:   \n");
  mkdirSync(join(folder, "desk/.env"));
  const { exitCode, output } = await fairlead(folder, ["run", "desk/agents"]);
  expect([exitCode, output]).toEqual([
    1,
    expect.stringMatching(/^fairlead: The file \S+\/desk\/\.env cannot be read\./),
  ]);
});

it("of an agent is read after the project's, as ADK's commands write it", async () => {
  verifies("platform:command:dot-env");
  const folder = project("FIRST=project\n");
  const write = (path: string, text: string): void => writeFileSync(join(folder, "desk/agents", path), text);
  write(".env", "SECOND=agents\n");
  write("reader/.env", "FIRST=reader\nSECOND=reader\nTHIRD=reader");
  mkdirSync(join(folder, "desk/agents/archive"));
  write("archive/.env", "THIRD=archive\n");
  const run = async (...words: string[]) => (await fairlead(folder, ["run", ...words], { input: "go\n" })).output;
  expect(await run("desk/agents", "reader")).toBe("reader: project agents reader\n");
  // All agents of a process have one environment.
  expect(await run("desk/agents")).toBe("reader: project agents archive\n");
});
