import type { Repair } from "./find-source.ts";

export interface CheckProblem {
  readonly level: "error" | "warning";
  /** From the folder of agents. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** What is wrong, with the fix. */
  readonly message: string;
  /** The fix as a change of the file at this place, if it is certain. */
  readonly repair?: Repair | undefined;
}

/** An app with what is wrong with it: nothing if it can be run. */
export interface CheckedApp {
  readonly name: string;
  readonly file: string;
  readonly language: "typescript" | "yaml";
  readonly problems: readonly CheckProblem[];
}

export interface CheckResult {
  readonly apps: readonly CheckedApp[];
  /** Problems of the folder as a whole. */
  readonly problems: readonly CheckProblem[];
}
