import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { DefinitionException, ProblemList } from "./definition-problem.ts";
import { parseDefinition } from "./parse-definition.ts";

/** Each problem as line:column text. */
async function problemsIn(text: string): Promise<readonly string[]> {
  const problems = new ProblemList("f.yaml");
  await parseDefinition(text, problems);
  try {
    problems.throwIfAny();
    return [];
  } catch (error) {
    if (!(error instanceof DefinitionException)) throw error;
    return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}

const EACH = "each of its lines needs the same indentation.";
const FIRST = "its first line is read as a key.";

it.each([
  ["instruction: |\nWrite a poem.\n", `2:1 Indent the text under \`instruction: |\`: ${EACH}`],
  ["instruction: |\nWrite a poem.\nmodel: demo/chat\n", `2:1 Indent the text under \`instruction: |\`: ${EACH}`],
  ["instruction: >-\n\nWrite a poem\nabout it.\n", `3:1 Indent the text under \`instruction: >\`: ${EACH}`],
  ["instruction: |  # a comment\nYou write: a\n  poem: b\n", `2:12 Indent the text under \`instruction: |\`: ${EACH}`],
  ["list:\n  - text: |\n  Write a poem.\n", `3:1 Indent the text under \`text: |\`: ${EACH}`],
  ["instruction: |\n    Write\n  a poem.\n", `3:1 Indent the text under \`instruction: |\`: ${EACH}`],
  ["instruction: |\nYou are: a poet\nmodel: x\n", `2:1 Indent the text under \`instruction: |\`: ${FIRST}`],
  ["instruction: >\nYou are: a poet\n", `2:1 Indent the text under \`instruction: >\`: ${FIRST}`],
])("names the block of text that is not indented: %j", async (text, problem) => {
  verifies("definitions:unindented-text");
  expect(await problemsIn(text)).toEqual([problem]);
});

it.each([
  ["instruction: |\n  Write.\nmodel: [1\n"],
  ["instruction: |\nmodel: [1\n"],
  ["instruction: |\n  Write.\nlist:\n- a\n b\nc\n"],
  ["- |\nx: 1\n"],
])("leaves another syntax error as it is: %j", async (text) => {
  const problems = await problemsIn(text);
  expect([problems.length, problems.join("\n")]).toEqual([
    expect.any(Number),
    expect.not.stringContaining("Indent the text"),
  ]);
  expect(problems).not.toEqual([]);
});

it("accepts a block without text before another field, and one with text", async () => {
  expect(await problemsIn("description: |\nmodel: x\ninstruction: |\n  Be: brief\n")).toEqual([]);
});
