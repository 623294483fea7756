import { describe, expect, it } from "vitest";
import { Type } from "#kit/schema/shape.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { parseArguments, UsageError } from "./parse-arguments.ts";

const settings = settingsOf(
  Type.Object({
    PORT: Type.Integer({ default: 8000 }),
    DATA_DIR: Type.String({ default: ".data" }),
    AGENTS_DIR: Type.String({ default: "agents" }),
    DEV_UI: Type.Boolean({ default: true }),
  }),
);
const parse = (...typed: string[]) => parseArguments(typed, settings);

function refusal(...typed: string[]): string {
  try {
    parse(...typed);
    return "";
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error);
  }
}

describe("parseArguments", () => {
  it("separates arguments and settings, in both spellings", () => {
    expect(parse("serve", "--port", "9000", "agents", "--data-dir=/d", "--agents", "a")).toEqual({
      words: ["serve", "agents"],
      wantsHelp: false,
      wantsVersion: false,
      flags: new Map(),
      settings: { PORT: "9000", DATA_DIR: "/d", AGENTS_DIR: "a" },
    });
  });

  it("reads booleans by their presence, and never an argument as their value", () => {
    expect(parse("--dev-ui", "agents")).toMatchObject({ words: ["agents"], settings: { DEV_UI: "true" } });
    expect(parse("--no-dev-ui").settings).toEqual({ DEV_UI: "false" });
    expect(parse("--dev-ui=0").settings).toEqual({ DEV_UI: "0" });
  });

  it("reads everything after -- as arguments", () => {
    expect(parse("run", "--", "--port").words).toEqual(["run", "--port"]);
  });

  it("accepts --help and --version", () => {
    expect(parse("serve", "-h", "--version")).toMatchObject({ wantsHelp: true, wantsVersion: true });
  });

  it.each([
    [["--prot", "1"], 'There is no flag --prot: did you mean "--port"?'],
    [["--data_dir", "x"], 'There is no flag --data_dir: did you mean "--data-dir"?'],
    [["--frobnicate"], "There is no flag --frobnicate: see fairlead --help."],
    [["--port"], "--port needs a value, as in --port=…."],
    [["--port", "--dev-ui"], "--port needs a value, as in --port=…."],
    [["--port", "1", "--port=2"], "PORT is given twice."],
  ])("refuses %j", (typed, message) => {
    expect(refusal(...typed)).toBe(message);
  });
});
