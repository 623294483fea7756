import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { COMMANDS } from "./command-list.ts";
import { COMMAND_HELP, helpOn, usage } from "./help.ts";

it("is quoted in full by the page on the command line", () => {
  const page = readFileSync(new URL("../docs/command-line.md", import.meta.url), "utf8");
  const quoted = [...page.matchAll(/^```text\n([^]*?)\n```$/gm)].map(([, text]) => text);
  expect(quoted).toEqual([usage(), ...Object.values(COMMAND_HELP)]);
});

it("fits a terminal of 24 lines and 80 columns, and names every command", () => {
  const lines = usage().split("\n");
  // The last line of the terminal has the prompt.
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  for (const { name } of COMMANDS) expect(usage()).toMatch(new RegExp(`(^ {2}|^Also: |, )${name}\\b`, "m"));
});

it("describes every flag of a command", () => {
  const missing = COMMANDS.flatMap(({ name, flags }) =>
    flags.filter((flag) => !helpOn(name).includes(flag.name)).map((flag) => `${name} ${flag.name}`),
  );
  expect(missing).toEqual([]);
});
