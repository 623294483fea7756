import { type ParseArgsConfig, parseArgs } from "node:util";
import { suggestion } from "#kit/schema/suggest.ts";
import { UsageError } from "./parse-arguments.ts";

type OptionTable = NonNullable<ParseArgsConfig["options"]>;

/** The values of flags; a flag without value is true. */
export type TypedOptions<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name]["type"] extends "boolean" ? boolean : string;
};

export interface Typed<Table extends OptionTable> {
  /** Everything but the flags. */
  readonly words: readonly string[];
  readonly options: TypedOptions<Table>;
}

/** Reads what is typed after a command that has its own flags, and no settings. Throws `UsageError`. */
export function readTyped<const Table extends OptionTable>(typed: readonly string[], options: Table): Typed<Table> {
  try {
    const { positionals, values } = parseArgs({ args: [...typed], options, allowPositionals: true });
    // The library's type says the same of a table that is known.
    return { words: positionals, options: values as TypedOptions<Table> };
  } catch (error) {
    // The messages name the flag and the problem.
    throw new UsageError(error instanceof Error ? (error.message.split(". ", 1)[0] ?? "") : String(error));
  }
}

/** The number of `--limit`. Throws `UsageError`. */
export function readLimit(given: string | undefined, fallback: number, max: number): number {
  if (given === undefined) return fallback;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new UsageError(`--limit needs a whole number from 1 to ${max}.`);
}

/** The error for a word that is not one of a command's actions. */
export function unknownAction(command: string, word: string, actions: readonly string[]): UsageError {
  const hint = suggestion(word, actions) || `: use one of ${actions.join(", ")}.`;
  return new UsageError(`There is no command "${command} ${word}"${hint}`);
}
