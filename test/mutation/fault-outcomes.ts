import type { Mutant } from "./plant-faults.ts";
import type { Progress } from "./progress.ts";

type Status = "Killed" | "Timeout" | "Survived" | "NoCoverage" | "Ignored";

/** A planted fault and its outcome. Lines and columns count from 1. */
export interface FaultOutcome {
  readonly fileName: string;
  readonly status: Status;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

export function faultOutcomes(mutants: readonly Mutant[], progress: Progress): readonly FaultOutcome[] {
  const unused = new Set(progress.unused.values().flatMap(({ faults }) => faults));
  return mutants.map(({ id, fileName, mutatorName, replacement, location: { start }, status }) => ({
    fileName,
    mutatorName,
    replacement,
    status: status === "Ignored" ? "Ignored" : statusOf(id, progress, unused),
    location: { start: { line: start.line + 1, column: start.column + 1 } },
  }));
}

function statusOf(fault: string, progress: Progress, unused: ReadonlySet<string>): Status {
  const noticed = progress.noticed.get(fault);
  if (noticed !== undefined) return noticed;
  if (progress.survived.has(fault) || unused.has(fault)) return "Survived";
  // A module is loaded once, so a fault in what it does then cannot be switched on for a test.
  return progress.static.has(fault) ? "Ignored" : "NoCoverage";
}
