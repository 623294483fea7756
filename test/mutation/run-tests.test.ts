import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { faultOutcomes } from "./fault-outcomes.ts";
import { formatReport } from "./format-report.ts";
import { plantFaults, sampleOf } from "./plant-faults.ts";
import { runTests } from "./run-tests.ts";

const CODE = `let isBroken = false;

export function works(breaks: boolean): boolean {
  if (breaks) isBroken = true;
  return !isBroken;
}

export async function settle(isSettled: boolean): Promise<void> {
  if (!isSettled) await new Promise(() => {});
}

export function compare(a: number, b: number): boolean {
  return a < b;
}

export function unreached(): boolean {
  return false;
}
`;

const TESTS = `import { beforeEach, expect, it } from "vitest";
import { compare, settle, works } from "./code.ts";

let runs = 0;
beforeEach(() => {
  runs = 0;
  return () => {
    runs = 7;
  };
});

it("works until it is broken", () => expect(works(false)).toBe(true));
it("settles", () => settle(true));
it("compares, after the hooks of each attempt", () => {
  runs += 1;
  expect(runs).toBe(1);
  expect(compare(1, 2)).toBe(true);
});
it("fails without a fault", () => expect(compare(2, 1)).toBe(true));
`;

const REPORT = `50 % of 16  sample/code.ts

sample/code.ts:4:7  ConditionalExpression: false
sample/code.ts:4:26  no test reaches it: false
sample/code.ts:8:65  BlockStatement: {}
sample/code.ts:9:7  ConditionalExpression: false
sample/code.ts:13:10  ConditionalExpression: true
sample/code.ts:13:10  EqualityOperator: a <= b
sample/code.ts:16:38  no test reaches it: {}
sample/code.ts:17:10  no test reaches it: true

50 % of 16 faults were noticed.
`;

it("repeats tests with faults, and starts a new process when a fault outlives its test", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mutation-test-")));
  try {
    const [root, copy] = [join(folder, "root"), join(folder, "copy")];
    createRepository(root);
    const mutants = await plantFaults(root, copy, "sample");
    const faults = mutants.map(({ id }) => id);
    const progress = await runTests({ copy, tests: ["sample/*.test.ts"], faults, print: () => {} });
    expect(formatReport(faultOutcomes(mutants, progress), copy).text).toBe(REPORT);
    expect([...progress.unused.values()].map(({ title }) => title)).toEqual([
      "sample/code.test.ts > fails without a fault",
    ]);
    const [one = expect.unreachable(), ...others] = sampleOf(mutants, 4);
    expect([others.length, sampleOf(mutants, 4)[0], sampleOf(mutants, 99).length]).toEqual([3, one, mutants.length]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);

function createRepository(root: string): void {
  mkdirSync(join(root, "sample"), { recursive: true });
  mkdirSync(join(root, "test"));
  for (const path of [
    "test/mutation",
    "test/helpers/package-entries.ts",
    "test/helpers/source-files.ts",
    "test/helpers/random",
  ]) {
    cpSync(join(REPOSITORY_ROOT, path), join(root, path), { recursive: true });
  }
  symlinkSync(join(REPOSITORY_ROOT, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, ".gitignore"), "node_modules\n");
  const manifest = { type: "module", imports: { "#test/*": "./test/*" }, exports: {} };
  writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(root, "sample/code.ts"), CODE);
  writeFileSync(join(root, "sample/code.test.ts"), TESTS);
  execFileSync("git", ["init", "-q"], { cwd: root });
}
