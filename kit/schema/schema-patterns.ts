import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { LinearPattern } from "./linear-pattern.ts";
import { UnsupportedPatternError } from "./pattern-syntax.ts";

/** Keywords of JSON Schema that contain data, in which a `pattern` has no meaning. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);
/** Keywords whose members are named by the schema's author. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

/** Matches without backtracking. TypeBox accepts a `RegExp` as a pattern and calls only its `test`. */
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
 * The schema in the form that TypeBox compiles, with each `pattern` matched in linear time. Patterns for which that is
 * not possible (lookaround, back references) stay unchanged: they come from an agent's code, since
 * `assertLinearPatterns` refuses them in definitions.
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

/** For schemas from definitions: throws `INVALID_FIELD` for a pattern that some texts make slow. */
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
