import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** What a JSON value must be. */
export type JsonShape = "string" | "number" | "boolean" | "object" | "any" | JsonList | JsonRecord;

export interface JsonList {
  readonly listOf: JsonShape;
}

/** An object with known members, of which others than the required ones may be absent. */
export interface JsonRecord {
  readonly members: Readonly<Record<string, JsonShape>>;
  readonly required?: readonly string[];
}

/** The value of a JSON text. Throws `MALFORMED_JSON`. */
export function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PlatformError("MALFORMED_JSON", `${what} is not valid JSON.`, { cause: error });
  }
}

/**
 * A copy of the value as the shape has it: a known member that is null counts as absent, unknown members are kept as they are.
 * Throws `INVALID_FIELD` and names the first place that is wrong, such as `content.parts.0.text`.
 */
export function readJson(value: JsonValue, shape: JsonShape, path: string): JsonValue {
  if (shape === "any") return value;
  if (shape === "object") return objectAt(value, path);
  if (typeof shape === "string") {
    if (typeof value !== shape) throw invalidField(path, `must be a ${shape}`);
    return value;
  }
  if ("members" in shape) return readRecord(value, shape, path);
  if (!Array.isArray(value)) throw invalidField(path, "must be a list");
  return value.map((entry: JsonValue, index) => readJson(entry, shape.listOf, `${path}.${index}`));
}

/** The same for an object, at the root when the path is left out. */
export function readRecord(value: JsonValue, { members, required = [] }: JsonRecord, path = ""): JsonObject {
  const object = objectAt(value, path === "" ? "the value" : path);
  const place = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const entries: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(object)) {
    const shape = Object.hasOwn(members, name) ? members[name] : undefined;
    if (shape === undefined) entries.push([name, member]);
    else if (member !== null) entries.push([name, readJson(member, shape, place(name))]);
  }
  const record = Object.fromEntries(entries);
  for (const name of required) if (!Object.hasOwn(record, name)) throw invalidField(place(name), "is missing");
  return record;
}

export function invalidField(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field} ${problem}.`, { details: { field } });
}

function objectAt(value: JsonValue, path: string): JsonObject {
  if (!isJsonObject(value)) throw invalidField(path, "must be an object");
  return value;
}
