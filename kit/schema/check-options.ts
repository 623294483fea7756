import { PlatformError } from "../errors/platform-error.ts";
import { isJsonObject } from "../platform/json.ts";

/** The rule for the value of one option. */
export interface OptionRule {
  /** Completes the sentence "`name` must be …". */
  readonly must: string;
  readonly accepts: (value: unknown) => boolean;
  /** Absent: the option may be left out, or undefined. */
  readonly required?: true;
  /** Rules of the members, for an option that is an object. */
  readonly members?: Readonly<Record<string, OptionRule>>;
}

/** A rule for each option: the type refuses a table that lacks one. */
export type OptionRules<Options> = Readonly<Record<keyof Options & string, OptionRule>>;

/**
 * Checks the options of a public constructor or function, for callers whose types are not checked. `owner` names it in
 * errors, such as `new Gemini`. Throws `INVALID_FIELD` for the first option that is unknown, missing or wrong. The
 * error names the option and never contains a value: options may be secrets.
 */
export function checkOptions<Options extends object>(
  owner: string,
  options: Options,
  rules: OptionRules<Options>,
): void {
  const given: unknown = options;
  if (!isObject(given)) throw refusal(owner, "options", `must be an object, not ${kindOf(given)}`);
  checkMembers(owner, given, { rules, prefix: "" });
}

export const text: OptionRule = {
  must: "a non-empty string",
  accepts: (value) => typeof value === "string" && value.trim() !== "",
};

export const method: OptionRule = { must: "a function", accepts: (value) => typeof value === "function" };

/** An object that is not checked further. */
export const object: OptionRule = { must: "an object", accepts: isObject };

/** An object with all these methods, such as a clock. */
export function having(...methods: readonly string[]): OptionRule {
  return {
    must: `an object with ${methods.map((name) => `${name}()`).join(" and ")}`,
    accepts: (value) => isObject(value) && methods.every((name) => typeof value[name] === "function"),
  };
}

/** `kit/platform/clock.ts`. */
export const clock = having("now", "monotonic");

/** `kit/platform/id-generator.ts`. */
export const ids = having("next");

/** `kit/platform/logger.ts`. */
export const logger = having("debug", "info", "warn", "error", "child");

export function matching(must: string, pattern: RegExp): OptionRule {
  return { must, accepts: (value) => typeof value === "string" && pattern.test(value) };
}

export function listOf(rule: OptionRule): OptionRule {
  return {
    must: `a list that is not empty, each member ${rule.must}`,
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(rule.accepts),
  };
}

export function oneOf(...values: readonly string[]): OptionRule {
  return {
    must: values.map((value) => `"${value}"`).join(" or "),
    accepts: (value) => typeof value === "string" && values.includes(value),
  };
}

export const flag: OptionRule = { must: "true or false", accepts: (value) => typeof value === "boolean" };

export function integer(minimum: number, unit = ""): OptionRule {
  return {
    must: `an integer of at least ${minimum}${unit}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= minimum,
  };
}

/** An object with only these members. */
export function record<Members>(members: OptionRules<Members>): OptionRule {
  return { ...object, members };
}

export function required(rule: OptionRule): OptionRule {
  return { ...rule, required: true };
}

interface MemberRules {
  readonly rules: Readonly<Record<string, OptionRule>>;
  /** Path of the object in the options, with a dot at the end. */
  readonly prefix: string;
}

function checkMembers(owner: string, given: Readonly<Record<string, unknown>>, { rules, prefix }: MemberRules): void {
  const names = Object.keys(rules);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw refusal(owner, prefix + unknown, `is not an option; the options are ${names.join(", ")}`);
  for (const [name, { must, accepts, required: isRequired, members }] of Object.entries(rules)) {
    const value = given[name];
    if (value === undefined && isRequired !== true) continue;
    if (!accepts(value)) throw refusal(owner, prefix + name, `must be ${must}, not ${kindOf(value)}`);
    if (members !== undefined && isObject(value))
      checkMembers(owner, value, { rules: members, prefix: `${prefix}${name}.` });
  }
}

function refusal(owner: string, field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${owner}: ${field} ${problem}.`, { details: { field } });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

/** The kind of a value, without the value. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null || value === "") return value === "" ? "an empty string" : `${value}`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (typeof value === "object") return value instanceof Promise ? "a promise" : "this object";
  return typeof value === "string" ? "this string" : `a ${typeof value}`;
}
