import { describe, expect, it } from "vitest";
import { suggestion } from "./suggest.ts";

const KNOWN = ["instruction", "description", "subAgents", "name"];

describe("suggestion", () => {
  it.each([
    ["instructions", "instruction"],
    ["INSTRUCTION", "instruction"],
    ["sub_agent", "subAgents"],
    ["descripton", "description"],
    ["nam", "name"],
  ])("for %s is %s", (given, meant) => {
    expect(suggestion(given, KNOWN)).toBe(`: did you mean "${meant}"?`);
  });

  it.each(["", "temperature", "instruction".repeat(10)])("for %s there is none", (given) => {
    expect(suggestion(given, KNOWN)).toBe("");
  });
});
