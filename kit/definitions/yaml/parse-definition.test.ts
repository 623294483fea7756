import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { toJson } from "./config-node.ts";
import { DefinitionException, ProblemList } from "./definition-problem.ts";
import { parseDefinition } from "./parse-definition.ts";

async function parse(text: string) {
  const problems = new ProblemList("f.yaml");
  const node = await parseDefinition(text, problems);
  problems.throwIfAny();
  return node === undefined ? undefined : toJson(node);
}

/** Each problem as line:column text. */
async function problemsOf(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof DefinitionException)) throw new Error(`accepted: ${JSON.stringify(error)}`);
  return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe("parseDefinition", () => {
  it("reads YAML as plain data", async () => {
    const text = "a: text\nb: [1, 2.5, true, null]\nc: {on: yes, 1: one}\nd: |\n  two\n  lines\ne:\n";
    expect(await parse(text)).toEqual({
      a: "text",
      b: [1, 2.5, true, null],
      c: { on: "yes", 1: "one" },
      d: "two\nlines\n",
      e: null,
    });
  });

  it("reads JSON", async () => {
    verifies("definitions:json");
    expect(await parse('{"a": ["b", {"c": 1e3}], "d": "\\u00e9"}')).toEqual({ a: ["b", { c: 1000 }], d: "é" });
  });

  it("repeats what an alias stands for", async () => {
    expect(await parse("a: &x [1]\nb: *x\n")).toEqual({ a: [1], b: [1] });
  });

  it.each([
    ["a tag of its own", "a: !js/function 'x'", "1:17 Tags are refused"],
    ["a tag of YAML", "a: 1\nb: !!binary aGk=", "2:13 Tags are refused"],
    ["a tag on a map", "a: !!map {b: 1}", "1:10 Tags are refused"],
    ["a tag on a key", "!x a: 1", "1:4 A key must be plain text"],
    ["a map as key", "? {a: b}\n: 1", "1:3 A key must be plain text"],
    ["a merge key", "a: &x {b: 1}\nc:\n  <<: *x", "3:3 Merge keys"],
    ["a merge key of YAML 1.1", "%YAML 1.1\n---\na: &x {b: 1}\nc:\n  <<: *x", "5:3 Merge keys"],
    ["a key given twice", "a: 1\nb:\n  c: 1\n  c: 2", '4:3 The key "c" is given twice, first in line 3.'],
    ["a key that reaches prototypes", "a:\n  __proto__: {b: 1}", '2:3 The key "__proto__" is refused.'],
    ["an alias without anchor", "a: *x", '1:4 No anchor "&x" stands above this alias.'],
    ["an alias of what it is in", "a: &x [*x]", "1:7 Nested too deeply: at most 50 levels."],
    ["a number that JSON lacks", "a: .inf", "1:4 Only text, finite numbers"],
    [
      "deep nesting",
      `a:\n${Array.from({ length: 60 }, (_, index) => `${" ".repeat(index + 1)}k:\n`).join("")}`,
      "52:52 Nested",
    ],
    ["very deep nesting", "[".repeat(20_000), "1:1 Nested too deeply: at most 50 levels."],
    ["nothing", "# only a comment\n", "1:1 The file is empty."],
    ["a second document", "a: 1\n---\nb: 1\n", "2:1 A second document begins here: one file holds one definition."],
    ["a tab", "a:\n\tb: 1", "2:1 Tabs are not allowed as indentation."],
    ["an open bracket", "a: [1\nb: 2", "2:1 Flow sequence in block collection"],
  ])("refuses %s", async (_, text, problem) => {
    verifies("definitions:data-only");
    expect(await problemsOf(text)).toEqual([expect.stringContaining(problem)]);
  });

  it("refuses aliases that grow without bound", async () => {
    verifies("definitions:data-only");
    const letters = "abcdefghi";
    const lines = [...letters].map((letter, index) => {
      const items =
        index === 0
          ? "x,x,x,x,x,x,x,x,x"
          : Array(9)
              .fill(`*${letters[index - 1]}`)
              .join(",");
      return `${letter}: &${letter} [${items}]`;
    });
    expect(await problemsOf(lines.join("\n"))).toEqual([expect.stringMatching(/^1:22 Over 20000 values/)]);
  });

  it("reports all problems together", async () => {
    expect(await problemsOf("a: !x 1\nb: *c\nd: 1\nd: 2")).toEqual([
      expect.stringMatching(/^1:7 Tags/),
      expect.stringMatching(/^2:4 No anchor/),
      expect.stringMatching(/^4:1 The key "d"/),
    ]);
  });
});
