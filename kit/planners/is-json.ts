import { isJsonObject } from "#kit/platform/json.ts";

/** Whether the value survives being stored as JSON, which would drop functions and break on cycles. */
export function isJson(value: unknown): boolean {
  try {
    return isJsonTree(value);
  } catch {
    return false;
  }
}

/** Throws a `RangeError` for a cycle. */
function isJsonTree(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJsonTree);
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJsonTree);
}
