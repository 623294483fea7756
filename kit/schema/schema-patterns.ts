import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { LinearPattern } from "./linear-pattern.ts";
import { UnsupportedPatternError } from "./pattern-syntax.ts";

/** Members of a JSON Schema that hold data. A `pattern` in them is none. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);
/** Members whose own members are named by the schema's author. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

/** Matches without backtracking. TypeBox takes a `RegExp` for a pattern and calls nothing but its `test`. */
class LinearRegExp extends RegExp {
  readonly #pattern: LinearPattern;

  constructor(source: string) {
    super(source, "u");
    this.#pattern = new LinearPattern(source, "u");
  }

  override test(text: string): boolean {
    return this.#pattern.test(text);
  }
}

/**
 * The schema as TypeBox compiles it, with each `pattern` matched in linear time. Patterns that cannot be (lookaround, back references) stay
 * as they are: they come from the code of an agent, since `assertLinearPatterns` refuses them in definitions.
 */
export function withLinearPatterns(schema: JsonObject): object {
  return mapPatterns(schema, (source) => {
    try {
      return new LinearRegExp(source);
    } catch (error) {
      if (error instanceof UnsupportedPatternError || error instanceof SyntaxError) return source;
      throw error;
    }
  });
}

/** For schemas from definitions: throws `INVALID_FIELD` for a pattern that some text makes slow. */
export function assertLinearPatterns(schema: JsonObject): void {
  mapPatterns(
    schema,
    (source) => {
      try {
        return new LinearRegExp(source);
      } catch (error) {
        if (!(error instanceof UnsupportedPatternError || error instanceof SyntaxError)) throw error;
        throw refused(`The pattern ${JSON.stringify(source)} of the schema cannot be used: ${error.message}.`);
      }
    },
    () => {
      throw refused(
        '"patternProperties" cannot be used in a definition. Name the "properties", or use "propertyNames".',
      );
    },
  );
}

function refused(message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message);
}

function mapPatterns(
  schema: JsonObject,
  replace: (source: string) => RegExp | string,
  onPatternProperties?: () => void,
): object {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === "patternProperties") onPatternProperties?.();
    if (key === "pattern" && typeof value === "string") return [key, replace(value)];
    if (DATA.has(key)) return [key, value];
    if (NAMED.has(key) && isJsonObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapAny(inner)]))];
    }
    return [key, mapAny(value)];
  });
  return Object.fromEntries(entries);

  function mapAny(value: JsonValue | undefined): unknown {
    if (Array.isArray(value)) return value.map(mapAny);
    return isJsonObject(value) ? mapPatterns(value, replace, onPatternProperties) : value;
  }
}
