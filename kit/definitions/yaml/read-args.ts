import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { snakeCase } from "#kit/schema/spelling.ts";
import type { ToolArgsConfig, ToolArgTypes } from "./tool-args-config.ts";

const IN_WORDS: Readonly<Record<keyof ToolArgTypes, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  object: "a map",
};

type ArgTypes = Readonly<Record<string, keyof ToolArgTypes>>;
type ArgsOf<Types extends ArgTypes> = { readonly [Name in keyof Types]?: ToolArgTypes[Types[Name]] };

/**
 * Arguments by a table of their kinds, in camelCase or snake_case. Throws for unknown arguments and for values of
 * another kind.
 */
export function readArgs<Types extends ArgTypes>(args: ToolArgsConfig, types: Types): ArgsOf<Types> {
  const values: Record<string, unknown> = {};
  const names = new Map(
    Object.keys(types).flatMap((name) => [[name, name] as const, [snakeCase(name), name] as const]),
  );
  for (const key of args.keys()) {
    const name = names.get(key);
    const type = name === undefined ? undefined : types[name];
    if (name === undefined || type === undefined) {
      throw new ConfigurationException(`there is no "${key}"; it takes: ${Object.keys(types).join(", ")}.`);
    }
    if (name in values) throw new ConfigurationException(`"${name}" is given in two spellings: keep one.`);
    values[name] = args.getOrEmpty(key, type);
    if (values[name] === undefined) throw new ConfigurationException(`"${key}" should be ${IN_WORDS[type]}.`);
  }
  // Each value was read as the kind that the table has for its name.
  return values as ArgsOf<Types>;
}

/** One of the values, in any case. Throws for others. */
export function oneOfArg<Value extends string>(name: string, given: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === given.toUpperCase());
  if (value === undefined) throw new ConfigurationException(`"${name}" should be one of ${values.join(", ")}.`);
  return value;
}

/** Throws for a given number that is not whole or too small. */
export function wholeNumberArg(name: string, given: number | undefined, least: number): void {
  if (given === undefined || (Number.isSafeInteger(given) && given >= least)) return;
  throw new ConfigurationException(`"${name}" should be a whole number from ${least}.`);
}
