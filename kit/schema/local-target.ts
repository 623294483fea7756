import type { JsonObject, JsonValue } from "#kit/platform/json.ts";

/**
 * What a reference within a document leads to, such as `#/$defs/pet` (a JSON Pointer as a fragment, RFC 6901, section
 * 6); undefined if it leads nowhere or to another document. Costs a step for each name of the reference.
 */
export function localTarget(root: JsonObject, reference: unknown): JsonValue | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    // An own member of a JSON list or object is JSON.
    found = Reflect.get(found, key) as JsonValue;
  }
  return found;
}

/** Authors write `%` for itself, too. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
