import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A schema of somebody else without references, and how many parts it has. */
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
 * Writes out the references of a schema, so that a check costs at most its parts times those of the value: checkers
 * follow references again at each place, which two in one place make exponential. A schema is any value where it recurs,
 * where a reference leads nowhere, and beyond 5,000 parts.
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
    const target = expand(targetOf(root, reference), depth + 1);
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

/** What a reference within the schema, such as `#/$defs/pet`, leads to; any value for all others. */
function targetOf(root: JsonObject, reference: string): JsonValue {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return {};
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const members: JsonObject = isJsonObject(found) ? found : {};
    found = Object.hasOwn(members, key) ? members[key] : undefined;
  }
  return found ?? {};
}
