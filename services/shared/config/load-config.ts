import { readFileSync } from "node:fs";
import type { TObject } from "typebox";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type ConfigOf, choicesOf, type Setting, type SettingSchema, settingsOf } from "./config-schema.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports all missing or wrong settings together, each with the name of its variable. */
export class InvalidConfigError extends PlatformError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super("CONFIGURATION", problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * Reads the settings that the schema names. An empty value counts as unset. An unset setting has its default, is left
 * out if it is optional, and is a problem otherwise. A secret from a file is read again at each use, so that it can be
 * rotated. Throws `InvalidConfigError`.
 */
export function loadConfig<Schema extends TObject>(schema: Schema, environment: Environment): ConfigOf<Schema> {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const setting of settingsOf(schema)) {
    const { name } = setting;
    const path = setting.schema.secret === true ? textOf(environment, `${name}_FILE`) : undefined;
    const outcome =
      path === undefined ? readSetting(setting, textOf(environment, name)) : readSecret(setting, environment, path);
    if (outcome.kind === "problem") problems.push(outcome.text);
    else if (path !== undefined)
      Object.defineProperty(config, name, { enumerable: true, get: () => readSecretFile(name, path) });
    else if (outcome.value !== undefined) config[name] = outcome.value;
  }
  problems.push(...missingSettings(settingsOf(schema), config));
  if (problems.length > 0) throw new InvalidConfigError(problems);
  // Every setting was just checked against the schema that the type is made of.
  return Object.freeze(config) as ConfigOf<Schema>;
}

/** Settings that are empty although the value of another one requires them. */
function missingSettings(settings: readonly Setting[], config: Readonly<Record<string, unknown>>): readonly string[] {
  return settings.flatMap(({ name, schema }) => {
    if (schema.neededBy === undefined || config[name] !== "") return [];
    const needing = Object.entries(schema.neededBy).find(([other, values]) => values.includes(String(config[other])));
    if (needing === undefined || schema.orElse?.some((other) => String(config[other] ?? "") !== "")) return [];
    const [other] = needing;
    return [`${name} is not set, and ${other}=${String(config[other])} needs it. ${schema.description ?? ""}`.trim()];
  });
}

type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "problem"; readonly text: string };

function value(read: unknown): Outcome {
  return { kind: "value", value: read };
}

function problem(text: string): Outcome {
  return { kind: "problem", text };
}

function textOf(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === "" ? undefined : text;
}

function readSetting({ name, schema, required }: Setting, text: string | undefined): Outcome {
  if (text !== undefined) return parse(name, schema, text);
  if (required) return problem(`${name} is not set. ${schema.description ?? ""}`.trim());
  return value(Array.isArray(schema.default) ? Object.freeze([...schema.default]) : schema.default);
}

function parse(name: string, schema: SettingSchema, text: string): Outcome {
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    return choices.includes(text)
      ? value(text)
      : problem(`${name} must be ${listOf(choices)}, not ${quote(schema, text)}.`);
  }
  switch (schema.type) {
    case "integer":
      return parseInteger(name, schema, text);
    case "boolean":
      return parseBoolean(name, schema, text);
    case "array":
      return value(
        Object.freeze(
          text
            .split(",")
            .map((entry) => entry.trim())
            .filter((entry) => entry !== ""),
        ),
      );
    case "string":
      return parseText(name, schema, text);
    default:
      throw new TypeError(`${name}: settings cannot have the type "${schema.type}".`);
  }
}

function parseInteger(name: string, schema: SettingSchema, text: string): Outcome {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return value(number);
  return problem(`${name} must be a whole number${rangeOf(schema)}, not ${quote(schema, text)}.`);
}

function rangeOf({ minimum, maximum }: SettingSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function parseBoolean(name: string, schema: SettingSchema, text: string): Outcome {
  const read = BOOLEANS.get(text.toLowerCase());
  return read === undefined ? problem(`${name} must be true, false, 1 or 0, not ${quote(schema, text)}.`) : value(read);
}

function parseText(name: string, schema: SettingSchema, text: string): Outcome {
  if (text.length < (schema.minLength ?? 0))
    return problem(`${name} must have at least ${schema.minLength} characters.`);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(text)) {
    return problem(
      `${name} is ${quote(schema, text)}, which does not have the right form. ${schema.description ?? ""}`.trim(),
    );
  }
  return value(text);
}

function readSecret({ name, schema }: Setting, environment: Environment, path: string): Outcome {
  if (textOf(environment, name) !== undefined) return problem(`${name} and ${name}_FILE are both set: keep one.`);
  try {
    return parse(name, schema, readSecretFile(name, path));
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error));
  }
}

function readSecretFile(name: string, path: string): string {
  let content: string;
  try {
    content = readFileSync(path, "utf8").trim();
  } catch (error) {
    // The path stays out of the message: it may reach clients.
    throw new PlatformError("CONFIGURATION", `The file that ${name}_FILE names cannot be read.`, { cause: error });
  }
  if (content === "") throw new PlatformError("CONFIGURATION", `The file that ${name}_FILE names is empty.`);
  return content;
}

function listOf(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

const MAX_QUOTE_LENGTH = 60;

function quote(schema: SettingSchema, text: string): string {
  if (schema.secret === true) return "what it is";
  return JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text);
}
