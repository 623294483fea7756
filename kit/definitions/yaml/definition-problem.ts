import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { Position } from "./config-node.ts";

/** One problem of a definition with its position. */
export interface DefinitionProblem {
  /** Relative to the folder of agents. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** The text of an exception of the definition's own code: for the log only. */
  readonly logDetail?: string;
}

/** A definition that cannot be used, with all its problems, one on each line. */
export class DefinitionException extends ConfigurationException {
  readonly problems: readonly DefinitionProblem[];

  constructor(problems: readonly DefinitionProblem[], cause?: unknown) {
    super(problems.map(describeProblem).join("\n"), cause, hiddenTexts(problems));
    this.problems = problems;
  }
}

// Messages quote the file, and quoted text may have any length.
const MAX_MESSAGE_LENGTH = 500;

/** The problems of one file, collected while it is read. */
export class ProblemList {
  readonly #file: string;
  readonly #problems: DefinitionProblem[];

  constructor(file: string, problems: DefinitionProblem[] = []) {
    this.#file = file;
    this.#problems = problems;
  }

  /** A list for another file that collects into the same problems. */
  forFile(file: string): ProblemList {
    return new ProblemList(file, this.#problems);
  }

  get count(): number {
    return this.#problems.length;
  }

  add(message: string, at?: Position, logDetail?: string): void {
    const place = at === undefined ? {} : { line: at.line, column: at.column };
    const hidden = logDetail === undefined ? {} : { logDetail };
    this.#problems.push({ file: this.#file, ...place, message: message.slice(0, MAX_MESSAGE_LENGTH), ...hidden });
  }

  /** Throws `CONFIGURATION` if there is any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new DefinitionException(inReadingOrder(this.#problems));
  }
}

/** File by file, each from top to bottom. */
function inReadingOrder(problems: readonly DefinitionProblem[]): readonly DefinitionProblem[] {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  const place = ({ line = 0, column = 0 }: DefinitionProblem): number => line * 1e6 + column;
  return [...byFile.values()].flatMap((list) => list.toSorted((a, b) => place(a) - place(b)));
}

function hiddenTexts(problems: readonly DefinitionProblem[]): string | undefined {
  const texts = problems.flatMap(({ logDetail }) => logDetail ?? []);
  return texts.length === 0 ? undefined : texts.join("\n");
}

function describeProblem({ file, line, column, message }: DefinitionProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place} ${message}`;
}
