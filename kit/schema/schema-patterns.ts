import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { LinearPattern, type StepBudget } from "./linear-pattern.ts";
import { UnsupportedPatternError } from "./pattern-syntax.ts";

/** Keywords of JSON Schema that contain data, in which a `pattern` has no meaning. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
/** Keywords whose members are named by the schema's author. */
const NAMED: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"],
]);

/** Matches without backtracking. TypeBox accepts a `RegExp` as a pattern and calls only its `test`. */
class LinearRegExp extends RegExp {
  readonly #source: string;
  readonly #pattern: LinearPattern;
  readonly #budget: StepBudget | undefined;

  constructor(source: string, budget?: StepBudget) {
    // The engine of the base class never gets the source: nothing can run it by mistake.
    super("");
    this.#source = source;
    this.#pattern = new LinearPattern(source, "u");
    this.#budget = budget;
  }

  override get source(): string {
    return this.#source;
  }

  override test(text: string): boolean {
    return this.#pattern.test(text, this.#budget);
  }
}

/** What is done with the patterns that cannot be matched in linear time (lookaround, back references). */
interface PatternPlan {
  readonly onPattern: (source: string, error: Error) => string | undefined;
  /** `patternProperties`: TypeBox matches their names with JavaScript's own engine. */
  readonly onNames: (names: JsonValue) => JsonValue | undefined;
  readonly budget?: StepBudget;
}

/**
 * A schema from an agent's code, in the form that TypeBox compiles: each `pattern` is matched in linear time if that is
 * possible, and by JavaScript's own engine otherwise.
 */
export function withOwnPatterns(schema: JsonObject, budget: StepBudget): object {
  return mapPatterns(schema, { onPattern: (source) => source, onNames: (names) => names, budget });
}

/**
 * A schema that other servers or users have given, in the form that TypeBox compiles. A pattern that cannot be matched
 * in linear time is an annotation: the schema accepts what only the pattern could refuse. Where less checking could
 * refuse more (in `not`, `oneOf` and others), the whole schema accepts any value.
 */
export function withForeignPatterns(schema: JsonObject, budget: StepBudget): object {
  let isWeaker = false;
  const weaken = (): undefined => {
    isWeaker = true;
  };
  const mapped = mapPatterns(schema, { onPattern: weaken, onNames: weaken, budget });
  if (!isWeaker) return mapped;
  return hasMember(schema, TURNING) ? {} : mapped;
}

/** Keywords that refuse a value because of what a schema within, or beside them, accepts. */
const TURNING: ReadonlySet<string> = new Set([
  ...["not", "oneOf", "if", "contains", "unevaluatedProperties", "unevaluatedItems"],
  ...["$ref", "$dynamicRef", "$recursiveRef"],
]);

/** For schemas from definitions: throws `INVALID_FIELD` for a pattern that some texts make slow. */
export function assertLinearPatterns(schema: JsonObject): void {
  mapPatterns(schema, {
    onPattern: (source, error) => {
      throw refused(`The pattern ${JSON.stringify(source)} of the schema cannot be used: ${error.message}.`);
    },
    onNames: () => {
      throw refused(
        '"patternProperties" cannot be used in a definition. Name the "properties", or use "propertyNames".',
      );
    },
  });
}

function refused(message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message);
}

function mapPatterns(schema: JsonObject, plan: PatternPlan): object {
  const mapped: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    const given = key === "patternProperties" ? plan.onNames(value) : value;
    const kept = given === undefined ? undefined : mapMember(key, given, plan);
    if (kept !== undefined) mapped[key] = kept;
  }
  // Without the names' patterns every name would count as additional.
  if (Object.hasOwn(schema, "patternProperties") && mapped["patternProperties"] === undefined)
    delete mapped["additionalProperties"];
  return mapped;
}

function mapMember(key: string, value: JsonValue, plan: PatternPlan): unknown {
  if (key === "pattern" && typeof value === "string") return toPattern(value, plan);
  if (DATA.has(key)) return value;
  if (NAMED.has(key) && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapAny(inner, plan)]));
  return mapAny(value, plan);
}

function mapAny(value: JsonValue | undefined, plan: PatternPlan): unknown {
  if (Array.isArray(value)) return value.map((item) => mapAny(item, plan));
  return isJsonObject(value) ? mapPatterns(value, plan) : value;
}

function toPattern(source: string, { onPattern, budget }: PatternPlan): RegExp | string | undefined {
  try {
    return new LinearRegExp(source, budget);
  } catch (error) {
    if (!(error instanceof UnsupportedPatternError || error instanceof SyntaxError)) throw error;
    return onPattern(source, error);
  }
}

/** Whether one of the names is a member anywhere in the value, also where it is not a keyword. */
function hasMember(value: JsonValue | undefined, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((item) => hasMember(item, names));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => names.has(key) || hasMember(inner, names));
}
