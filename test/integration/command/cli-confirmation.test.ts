import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { BOOKING_AGENT } from "#test/helpers/worlds/booking-agent.ts";
import { emptyFolder, fairlead, lacksTerminal } from "#test/helpers/worlds/command-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const SAMPLES = fileURLToPath(new URL("../../../agents", import.meta.url));
const REQUEST = "Reimburse 250 euros for a chair";
const CTRL_D = "\u0004";

it("reports that a run awaits input, and ends, without a terminal", { timeout: 60_000 }, async () => {
  await using chat = new CliProcess(["run", SAMPLES, "expenses"]);
  // The input stays open, and the second line is not read as an answer.
  chat.child.stdin?.write(`${REQUEST}\ny\n`);
  await chat.ended;
  expect(chat.child.exitCode).toBe(1);
  expect(chat.output).toMatch(/\? reimburse\(\{"amount":250,[^\n]*\) needs confirmation\./);
  expect(chat.output).toContain("The run awaits input");
  expect(chat.output).not.toMatch(/Approve\?|were approved/);
});

it("ends with the answer if no call needs a confirmation", { timeout: 60_000 }, async () => {
  await using chat = new CliProcess(["run", SAMPLES, "expenses"]);
  chat.child.stdin?.end("Reimburse 5 euros for tea\n");
  await chat.ended;
  expect([chat.child.exitCode, chat.output]).toEqual([0, expect.stringContaining("were paid")]);
});

it("keeps the conversation in the data folder if asked to, and continues it", { timeout: 60_000 }, async () => {
  verifies("platform:command:run");
  const directory = emptyFolder();
  const chat = (...flags: string[]) =>
    fairlead(directory, ["run", SAMPLES, "weather", ...flags], { input: "Weather in Rome?\n/state\n" });
  expect((await chat()).exitCode).toBe(0);
  expect(readdirSync(directory)).toEqual([]);
  const first = await chat("--resume", "trip", "--data-dir", "data");
  expect(first.exitCode).toBe(0);
  expect(readdirSync(directory)).toEqual(["data"]);
  const database = new DatabaseSync(join(directory, "data/sessions.sqlite"), { readOnly: true });
  const count = () => Number(database.prepare("SELECT count(*) AS count FROM events").get()?.["count"]);
  const before = count();
  expect((await chat("--resume=trip", "--data-dir", "data")).exitCode).toBe(0);
  expect([before > 0, count()]).toEqual([true, 2 * before]);
  database.close();
});

it("executes commands between messages", { timeout: 60_000 }, async () => {
  const input = "/help\n/stat\n/frobnicate\n/state\n/new\n/exit\nnot read\n";
  const { exitCode, output } = await fairlead(emptyFolder(), ["run", SAMPLES, "weather"], { input });
  expect([exitCode, output]).toEqual([
    0,
    expect.stringMatching(
      /^ {2}\/new [^]*Ctrl-D ends the chat\.\nThere is no command "\/stat": did you mean "\/state"\?\nThere is no command "\/frobnicate"\. \/help lists them\.\n\{\}\nA new conversation begins: session \S+\.\n$/,
    ),
  ]);
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
  ])(
    "shows a call, asks for its confirmation, and applies the answer %j",
    { timeout: 60_000 },
    async (typed, outcome) => {
      await using chat = start(SAMPLES, "expenses");
      await chat.until(/> /);
      type(chat, `${REQUEST}\n`);
      await chat.until(/reimburse\(\{"amount":250,[^\n]*\) needs confirmation\.[^]*Approve\? \[y\/N\] /);
      type(chat, `${typed}\n`);
      await chat.until(new RegExp(`Approve[^]*${outcome.source}[^]*expenses: [^]*> `));
      expect(await ended(chat)).toBe(0);
    },
  );

  it("ends with /exit", { timeout: 60_000 }, async () => {
    await using chat = start(SAMPLES, "expenses");
    await chat.until(/> /);
    type(chat, "/exit\n");
    await chat.ended;
    expect(chat.child.exitCode).toBe(0);
  });

  it("replaces the payload of a question by the one that is typed", { timeout: 60_000 }, async () => {
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

  it("continues the conversation after a question that is left unanswered", { timeout: 60_000 }, async () => {
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
