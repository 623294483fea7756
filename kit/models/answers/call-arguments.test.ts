import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { parseArguments } from "./call-arguments.ts";

describe("parseArguments", () => {
  it.each([
    ["an object", '{"a":"b\\nc"}'],
    ["the text of a text", JSON.stringify('{"a":"b\\nc"}')],
    ["a block of Markdown", '```json\n{"a":"b\\nc"}\n```'],
    ["line ends within texts", '{"a":"b\nc"}'],
  ])("reads %s", (_, json) => {
    verifies("records:model-answers:dialects");
    expect(parseArguments("f", json)).toEqual({ a: "b\nc" });
  });

  it.each(["", " ", "null", "[]", "{}", '""', '"{}"'])("reads %j as no arguments", (json) => {
    verifies("records:model-answers:dialects");
    expect(parseArguments("f", json)).toEqual({});
  });

  it("refuses text that is not JSON, with the parser's error as cause, and JSON that is not an object", () => {
    verifies("errors:message-conversion:json-parsing-failed", "errors:message-conversion:invalid-message-structure");
    expect(() => parseArguments("f", "{")).toThrow(
      expect.objectContaining({
        message: "JSON parsing failed: arguments of the call of f",
        cause: expect.any(SyntaxError),
      }),
    );
    for (const json of ["[1]", "7", '"7"'])
      expect(() => parseArguments("f", json)).toThrow(
        expect.objectContaining({ message: "Invalid message structure: arguments of the call of f are not an object" }),
      );
  });
});

it("reads line ends within long texts in time and memory in proportion to them", () => {
  verifies("peers:models:answer-size");
  const json = `{"a":"${"\n".repeat(1_000_000)}"}`;
  const before = process.threadCpuUsage();
  expect(parseArguments("f", json)).toEqual({ a: "\n".repeat(1_000_000) });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(3);
});
