import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSourceFiles } from "#test/helpers/source-files.ts";

const EXPORTED: ReadonlySet<string> = new Set(
  readFileSync(join(import.meta.dirname, "../package/exports.txt"), "utf8").match(/[A-Za-z_]\w+/g),
);
/** The options that authors meet first: each member has a sentence. */
const FIRST = [
  "AppOptions",
  "BaseAgentOptions",
  "BaseToolOptions",
  "FunctionToolOptions",
  "LlmAgentOptions",
  "RunnerOptions",
];
/** Members of all other exported options that have none. This number only falls. */
const WITHOUT_SENTENCE = 68;

interface Declared {
  readonly name: string;
  readonly isDocumented: boolean;
}

/** The exported classes of a file, and the members of its exported interfaces of options, as `Options.member`. */
function declaredIn(text: string): readonly Declared[] {
  const found: Declared[] = [];
  const lines = text.split("\n");
  let options: string | undefined;
  for (const [index, line] of lines.entries()) {
    const isDocumented = (lines[index - 1] ?? "").trimEnd().endsWith("*/");
    const name = /^export (?:abstract )?class (\w+)/.exec(line)?.[1];
    if (name !== undefined && EXPORTED.has(name)) found.push({ name, isDocumented });
    const opened = /^export interface (\w+Options)\b.*\{$/.exec(line)?.[1];
    if (opened !== undefined) options = EXPORTED.has(opened) ? opened : undefined;
    else if (line === "}") options = undefined;
    const member = /^ {2}(?:readonly )?(\w+)\??[:(]/.exec(line)?.[1];
    if (options !== undefined && member !== undefined) found.push({ name: `${options}.${member}`, isDocumented });
  }
  return found;
}

const DECLARED = readSourceFiles()
  .filter(({ path }) => !path.includes(".test."))
  .flatMap(({ text }) => declaredIn(text));

it("has a comment on each public class", () => {
  const classes = DECLARED.filter(({ name }) => !name.includes("."));
  expect(classes.length).toBeGreaterThan(100);
  expect(classes.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
});

it("has a sentence on each option of agents, apps, tools and runners, and on most others", () => {
  const without = DECLARED.filter(({ name, isDocumented }) => name.includes(".") && !isDocumented);
  expect(without.filter(({ name }) => FIRST.includes(name.split(".", 1)[0] ?? ""))).toEqual([]);
  expect(DECLARED.filter(({ name }) => FIRST.includes(name.split(".", 1)[0] ?? "")).length).toBeGreaterThan(80);
  expect(without.length).toBeLessThanOrEqual(WITHOUT_SENTENCE);
});
