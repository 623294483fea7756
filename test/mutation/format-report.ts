import { relative } from "node:path";
import type { FaultOutcome } from "./fault-outcomes.ts";

export interface MutationReport {
  /** Per file the number of detected faults, then a line for each that was not detected. */
  readonly text: string;
  /** Percentage of the faults that were detected; 100 if none was planted. */
  readonly score: number;
}

const NOTICED = new Set(["Killed", "Timeout"]);
const PLANTED = new Set(["Killed", "Timeout", "Survived", "NoCoverage"]);

/** `root`: the folder to which file names are relative. */
export function formatReport(results: readonly FaultOutcome[], root = ""): MutationReport {
  const planted = results
    .filter(({ status }) => PLANTED.has(status))
    .map((result) => ({ ...result, fileName: relative(root, result.fileName) }));
  const byFile = Map.groupBy(planted, ({ fileName }) => fileName);
  const files = [...byFile]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, mutants]) => `${score(mutants)} % of ${mutants.length}  ${name}`);
  const missed = planted.filter(({ status }) => !NOTICED.has(status)).map(describe);
  const total = score(planted);
  return {
    text: `${[...files, "", ...missed, "", `${total} % of ${planted.length} faults were noticed.`].join("\n")}\n`,
    score: total,
  };
}

function score(mutants: readonly FaultOutcome[]): number {
  if (mutants.length === 0) return 100;
  return Math.round((mutants.filter(({ status }) => NOTICED.has(status)).length / mutants.length) * 1000) / 10;
}

function describe({ fileName, location, mutatorName, replacement, status }: FaultOutcome): string {
  const kind = status === "NoCoverage" ? "no test reaches it" : mutatorName;
  return `${fileName}:${location.start.line}:${location.start.column}  ${kind}: ${replacement.replaceAll(/\s+/g, " ").slice(0, 100)}`;
}
