import { fieldPath, issueText } from "#kit/schema/read-json.ts";
import type { ObjectShape } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { type ConfigOf, type Setting, settingsOf } from "./config-schema.ts";

/** The settings that a program gives as values; what is undefined has its default, or is absent. */
export type ConfigValues<Schema extends ObjectShape> = {
  readonly [Name in keyof ConfigOf<Schema>]?: ConfigOf<Schema>[Name] | undefined;
};

export interface ReadConfig<Schema extends ObjectShape> {
  /** Complete and frozen; only to be used without problems. */
  readonly config: ConfigOf<Schema>;
  /** All wrong and unknown settings, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Checks settings that a program gives as values of their types, instead of as texts of an environment. `elsewhere` has
 * a sentence for settings that the schema lacks.
 */
export function configFromObject<Schema extends ObjectShape>(
  schema: Schema,
  given: ConfigValues<Schema>,
  elsewhere: (name: string) => string | undefined = () => undefined,
): ReadConfig<Schema> {
  const settings = settingsOf(schema);
  const values: Readonly<Record<string, unknown>> = { ...given };
  const config: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const setting of settings) {
    const { name, schema: shape, required } = setting;
    const value = values[name] ?? shape.default;
    if (value === undefined && !required) continue;
    const result = readValue(shape, copyOf(value));
    if (result.ok) config[name] = Object.freeze(result.value);
    else problems.push(...result.issues.slice(0, 1).map((issue) => sentenceOf(setting, issue)));
  }
  const names = settings.map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (names.includes(name) || values[name] === undefined) continue;
    problems.push(elsewhere(name) ?? `${name} is not a setting${suggestion(name, names) || "."}`);
  }
  // Every setting was just read by the schema that the type is made of, or is a problem.
  return { config: Object.freeze(config) as ConfigOf<Schema>, problems };
}

/** Reading changes a value in place. */
function copyOf(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value;
}

const MAX_SHOWN_LENGTH = 60;

function sentenceOf({ name, schema }: Setting, issue: Parameters<typeof issueText>[0]): string {
  const place = fieldPath(issue.path, name);
  if (schema.secret === true) return `${place} ${issueText(issue)}.`;
  const shown = JSON.stringify(issue.value) ?? String(issue.value);
  return `${place} ${issueText(issue)}, not ${shown.slice(0, MAX_SHOWN_LENGTH)}.`;
}
