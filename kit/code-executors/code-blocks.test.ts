import { describe, expect, it } from "vitest";
import type { CodeExecutionResult } from "#kit/core/code-executor.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { Content, Part } from "../events/content.ts";
import { BaseCodeExecutor } from "./base-code-executor.ts";
import { cutAtCode, toDelimitedText } from "./code-blocks.ts";

class NoExecutor extends BaseCodeExecutor {
  override async executeCode(): Promise<CodeExecutionResult> {
    return { stdout: "", stderr: "", outputFiles: [] };
  }
}

const executor = new NoExecutor();
const cut = (...parts: Part[]) => cutAtCode(parts, executor.codeBlockDelimiters);
const code = (text: string): Part => ({ executableCode: { code: text, language: "PYTHON" } });

describe("code in an answer", () => {
  it.each<[string, Part[]]>([
    ["Compute:\n```tool_code\nprint(6*7)\n```\nIt is 41.", [{ text: "Compute:\n" }, code("print(6*7)")]],
    ["```python\na = 1\nb = 2\n```", [code("a = 1\nb = 2")]],
    ["```python\n1\n```\n```tool_code\n2\n```", [code("1")]],
    ["```tool_code\n1\n```\n```python\n2\n```", [code("1")]],
  ])("is the first block of %j, and the text after it is left out", (text, parts) => {
    expect(cut({ text })).toEqual(parts);
  });

  it.each(["no code here", "```js\n1\n```", "```python\nprint(1)", "```python\n \n```"])(
    "is not found in %j",
    (text) => {
      expect(cut({ text })).toBeUndefined();
    },
  );

  it("is ignored in thoughts, and parts before it stay", () => {
    const thought = { text: "```python\n1\n```", thought: true };
    expect(cut(thought)).toBeUndefined();
    expect(cut(thought, { text: "Hm." }, { text: "```python\n2\n```" }, { text: "end" })).toEqual([
      thought,
      { text: "Hm." },
      code("2"),
    ]);
  });

  it("may be a part of its own, unless the model has run it already", () => {
    const result = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } } as const;
    expect(cut(code("1"), { text: "made up" })).toEqual([code("1")]);
    expect(cut(code("1"), result, { text: "It is 1." })).toBeUndefined();
  });

  it("is text between the delimiters for the model, and so are its results", () => {
    const said: Content = { role: "model", parts: [{ text: "Compute:\n" }, code("print(1)")] };
    const result: Content = {
      role: "model",
      parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } }],
    };
    const plain: Content = { role: "model", parts: [{ text: "1" }] };
    expect([said, result].map((content) => toDelimitedText(content, executor))).toEqual([
      { role: "model", parts: [{ text: "Compute:\n" }, { text: "```tool_code\nprint(1)\n```" }] },
      { role: "user", parts: [{ text: "```tool_output\n1\n\n```" }] },
    ]);
    expect(toDelimitedText(plain, executor)).toBe(plain);
  });
});

describe("the settings of an executor", () => {
  it("have defaults", () => {
    verifies("limits:defaults:code-executor-retries");
    expect(executor).toMatchObject({
      optimizeDataFile: false,
      stateful: false,
      errorRetryAttempts: 2,
      codeBlockDelimiters: [
        ["```tool_code\n", "\n```"],
        ["```python\n", "\n```"],
      ],
      executionResultDelimiters: ["```tool_output\n", "\n```"],
    });
  });

  it.each([
    [{ errorRetryAttempts: -1 }, "errorRetryAttempts must be an integer from 0."],
    [{ errorRetryAttempts: 0.5 }, "errorRetryAttempts must be an integer from 0."],
    [{ codeBlockDelimiters: [] }, "codeBlockDelimiters must be pairs of texts that are not empty."],
    [{ codeBlockDelimiters: [["", "x"]] as const }, "codeBlockDelimiters must be pairs of texts that are not empty."],
  ])("refuse %j", (options, message) => {
    expect(() => new NoExecutor(options)).toThrowError(expect.objectContaining({ reason: "INVALID_FIELD", message }));
  });
});
