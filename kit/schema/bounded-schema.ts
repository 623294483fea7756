import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { localTarget } from "./local-target.ts";

/** A third party's schema with its references written out, and its number of parts. */
export interface BoundedSchema {
  readonly schema: JsonObject;
  readonly parts: number;
}

const MAX_PARTS = 5000;
const MAX_DEPTH = 60;
/** Keywords whose values are data and not schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example", "required", "type"]);
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);

/**
 * Replaces the references of a schema by their targets, so that a check costs at most the schema's parts times the
 * value's parts. Checkers follow a reference at each place where it occurs, so a schema with two references to itself
 * would cost exponential time. The result accepts any value where the schema is recursive, where a reference has no
 * target, and beyond 5,000 parts.
 */
export function boundedSchema(root: JsonObject): BoundedSchema {
  const within: string[] = [];
  let parts = 0;
  const expand = (value: JsonValue, depth: number): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    parts += 1;
    if (parts > MAX_PARTS || depth > MAX_DEPTH) return Array.isArray(value) ? [] : {};
    if (Array.isArray(value)) return value.map((item) => expand(item, depth + 1));
    if (!isJsonObject(value)) return {};
    const { $ref: reference, ...rest } = value;
    const own = membersOf(rest, (member) => expand(member, depth + 1));
    if (reference === undefined) return own;
    if (typeof reference !== "string" || within.includes(reference)) return own;
    within.push(reference);
    const target = expand(localTarget(root, reference) ?? {}, depth + 1);
    within.pop();
    return Object.keys(own).length === 0 ? target : { allOf: [target, own] };
  };
  const schema = expand(root, 0);
  return { schema: isJsonObject(schema) ? schema : {}, parts: Math.min(parts, MAX_PARTS) };
}

function membersOf(schema: JsonObject, expand: (value: JsonValue) => JsonValue): JsonObject {
  const kept = Object.entries(schema).filter(([key]) => !DEFINITIONS.has(key) && key !== "$dynamicRef");
  return Object.fromEntries(kept.map(([key, value]) => [key, DATA.has(key) ? value : expand(value)]));
}
