import { ConfigurationException } from "../errors/kit-errors.ts";
import type { Position } from "./config-node.ts";

/** One thing wrong with a definition: what, and where. */
export interface DefinitionProblem {
  /** Relative to the folder of agents. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** A definition that cannot be used: all its problems at once, one a line. */
export class DefinitionException extends ConfigurationException {
  readonly problems: readonly DefinitionProblem[];

  constructor(problems: readonly DefinitionProblem[], cause?: unknown) {
    super(problems.map(describeProblem).join("\n"), cause);
    this.problems = problems;
  }
}

/** Problems of one file, gathered while it is read. */
export class ProblemList {
  readonly #file: string;
  readonly #problems: DefinitionProblem[];

  constructor(file: string, problems: DefinitionProblem[] = []) {
    this.#file = file;
    this.#problems = problems;
  }

  /** Gathers into the same list, for another file. */
  forFile(file: string): ProblemList {
    return new ProblemList(file, this.#problems);
  }

  get count(): number {
    return this.#problems.length;
  }

  add(message: string, at?: Position): void {
    this.#problems.push({ file: this.#file, ...(at !== undefined && { line: at.line, column: at.column }), message });
  }

  /** Throws `CONFIGURATION` when there is any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new DefinitionException(this.#problems);
  }
}

function describeProblem({ file, line, column, message }: DefinitionProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place} ${message}`;
}
