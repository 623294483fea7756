import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckProblem, CheckResult } from "./check-problem.ts";
import type { Repair } from "./find-source.ts";

/** A change that was made in a file. */
export interface Repaired extends Pick<Repair, "from" | "to"> {
  /** From the folder of agents. */
  readonly file: string;
  readonly line: number;
}

/** Each pass repairs the first of equal problems. */
const MAX_PASSES = 20;

/** Checks, makes the repairs that are certain, and checks again until there is none. Returns the last result. */
export async function repairAgents(
  root: string,
  check: () => Promise<CheckResult>,
): Promise<{ readonly result: CheckResult; readonly repaired: readonly Repaired[] }> {
  const repaired: Repaired[] = [];
  for (let pass = 1; ; pass += 1) {
    const result = await check();
    const made = pass > MAX_PASSES ? [] : await repairFiles(root, problemsOf(result));
    if (made.length === 0) return { result, repaired };
    repaired.push(...made);
  }
}

function problemsOf({ apps, problems }: CheckResult): readonly CheckProblem[] {
  return [...problems, ...apps.flatMap((app) => app.problems)];
}

async function repairFiles(root: string, problems: readonly CheckProblem[]): Promise<readonly Repaired[]> {
  const repaired: Repaired[] = [];
  const byFile = Map.groupBy(problems, ({ file = "" }) => file);
  for (const [file, found] of byFile) {
    const repairable = found.filter(({ repair }) => repair !== undefined);
    if (file === "" || repairable.length === 0) continue;
    const made: Repaired[] = [];
    const lines = (await readFile(join(root, file), "utf8")).split("\n");
    // From the end, so that the places before a repair stay right.
    for (const { line = 0, column = 0, repair } of repairable.toSorted(lastFirst)) {
      const text = lines[line - 1];
      if (repair === undefined || text?.startsWith(repair.from, column - 1) !== true) continue;
      lines[line - 1] = text.slice(0, column - 1) + repair.to + text.slice(column - 1 + repair.from.length);
      made.unshift({ file, line, from: repair.from, to: repair.to });
    }
    await writeFile(join(root, file), lines.join("\n"));
    repaired.push(...made);
  }
  return repaired;
}

function lastFirst(a: CheckProblem, b: CheckProblem): number {
  return (b.line ?? 0) - (a.line ?? 0) || (b.column ?? 0) - (a.column ?? 0);
}
