import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const SAMPLES = fileURLToPath(new URL("../../../agents", import.meta.url));
const REQUEST = "Reimburse 250 euros for a chair";
const CTRL_D = "\u0004";

const BOOKING_AGENT = `
import { FunctionTool, LlmAgent } from "agentplane/kit";

const bookTime = new FunctionTool({
  name: "book_time",
  description: "Books time off.",
  execute: (_args, context) => {
    const { toolConfirmation } = context;
    if (toolConfirmation === undefined) {
      context.requestConfirmation({ hint: "How many days?", payload: { days: 3 } });
      return { status: "waits" };
    }
    return { report: "Booked: " + JSON.stringify(toolConfirmation.payload ?? null) };
  },
});

export const rootAgent = new LlmAgent({ name: "booking", model: "demo/any", instruction: "Books.", tools: [bookTime] });
`;

function lacksTerminal(): boolean {
  const isThere = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") === true;
  if (!isThere) skipFor("the terminal chat", "the program script of util-linux is not installed");
  return !isThere;
}

it("says that a run awaits input, and ends, where nobody can be asked", { timeout: 30_000 }, async () => {
  await using chat = new CliProcess(["run", SAMPLES, "expenses"]);
  // More is to come: the input stays open, and is not read for an answer.
  chat.child.stdin?.write(`${REQUEST}\ny\n`);
  await chat.ended;
  expect(chat.child.exitCode).toBe(1);
  expect(chat.output).toMatch(/\? reimburse\(\{"amount":250,[^\n]*\) needs confirmation\./);
  expect(chat.output).toContain("The run awaits input");
  expect(chat.output).not.toMatch(/Approve\?|were approved/);
});

it("ends as before where nothing has to be asked", { timeout: 30_000 }, async () => {
  await using chat = new CliProcess(["run", SAMPLES, "expenses"]);
  chat.child.stdin?.end("Reimburse 5 euros for tea\n");
  await chat.ended;
  expect([chat.child.exitCode, chat.output]).toEqual([0, expect.stringContaining("were paid")]);
});

describe.skipIf(lacksTerminal())("in a terminal", () => {
  const start = (...args: readonly string[]) =>
    new CliProcess(["run", ...args], { isTerminal: true, environment: { TERM: "dumb" } });
  const type = (chat: CliProcess, text: string): void => void chat.child.stdin?.write(text);
  const ended = async (chat: CliProcess): Promise<number | null> => {
    type(chat, CTRL_D);
    await chat.ended;
    return chat.child.exitCode;
  };

  it.each([
    ["y", /250 euros for [^"]* were approved and paid/],
    ["", /rejected/],
  ])("a call is shown and asked for, and %j decides", { timeout: 30_000 }, async (typed, outcome) => {
    await using chat = start(SAMPLES, "expenses");
    await chat.until(/> /);
    type(chat, `${REQUEST}\n`);
    await chat.until(/reimburse\(\{"amount":250,[^\n]*\) needs confirmation\.[^]*Approve\? \[y\/N\] /);
    type(chat, `${typed}\n`);
    await chat.until(new RegExp(`Approve[^]*${outcome.source}[^]*expenses: [^]*> `));
    expect(await ended(chat)).toBe(0);
  });

  it("a question with a payload takes another one", { timeout: 30_000 }, async () => {
    const folder = agentsFolder({ "booking/agent.ts": BOOKING_AGENT });
    await using chat = start(folder.path);
    await chat.until(/> /);
    type(chat, "Book some time\n");
    await chat.until(/book_time\(\{\}\) needs confirmation\. How many days\?[^]*Approve\? /);
    type(chat, "y\n");
    await chat.until(/payload \{"days":3\}[^]*Payload as JSON/);
    type(chat, '{"days": 2}\n');
    await chat.until(/Booked: \{\\?"days\\?":2\}[^]*> /);
    expect(await ended(chat)).toBe(0);
  });

  it("a question may be left unanswered, and the conversation goes on", { timeout: 30_000 }, async () => {
    await using chat = start(SAMPLES, "expenses");
    await chat.until(/> /);
    type(chat, `${REQUEST}\n`);
    await chat.until(/Approve\? /);
    type(chat, "\u0003");
    await chat.until(/Not answered: the run awaits input\.[^]*> /);
    type(chat, "Reimburse 5 euros for tea\n");
    await chat.until(/5 euros for [^"]* were paid[^]*> /);
    expect(await ended(chat)).toBe(0);
  });
});
