import { readFileSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { textOfFile } from "#kit/platform/file-errors.ts";
import { expectedText } from "#kit/schema/read-json.ts";
import type { ObjectShape, Shape } from "#kit/schema/shape.ts";
import { type Issue, readValue } from "#kit/schema/shape-reader.ts";
import { valueOfText } from "#kit/schema/value-of-text.ts";
import { type ConfigOf, type Setting, settingsOf } from "./config-schema.ts";

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
export function loadConfig<Schema extends ObjectShape>(schema: Schema, environment: Environment): ConfigOf<Schema> {
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

function parse(name: string, schema: Shape, text: string): Outcome {
  const result = readValue(schema, schema.type === "array" ? entriesOf(text) : valueOfText(schema, text));
  if (result.ok) return value(result.value);
  const [issue] = result.issues;
  return problem(`${name} ${issue === undefined ? "is wrong." : sentenceOf(issue, schema, text)}`);
}

/** A frozen list: the settings of a process never change. */
function entriesOf(text: string): readonly string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return Object.freeze(entries.filter((entry) => entry !== ""));
}

function sentenceOf({ kind }: Issue, schema: Shape, text: string): string {
  if (kind === "too-short") return `must have at least ${schema.minLength} characters.`;
  if (kind === "pattern")
    return `is ${quote(schema, text)}, which does not have the right form. ${schema.description ?? ""}`.trim();
  const expected = schema.type === "boolean" ? "true, false, 1 or 0" : expectedText(schema);
  return `must be ${expected}, not ${quote(schema, text)}.`;
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
    content = textOfFile(readFileSync(path)).trim();
  } catch (error) {
    // The path stays out of the message: it may reach clients.
    throw new PlatformError("CONFIGURATION", `The file that ${name}_FILE names cannot be read.`, { cause: error });
  }
  if (content === "") throw new PlatformError("CONFIGURATION", `The file that ${name}_FILE names is empty.`);
  return content;
}

const MAX_QUOTE_LENGTH = 60;

function quote(schema: Shape, text: string): string {
  if (schema.secret === true) return "what it is";
  return JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text);
}
