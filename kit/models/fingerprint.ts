import { createHash } from "node:crypto";

/** Equal for values that are equal as JSON, independent of the order of their keys. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortKeys)).digest("hex").slice(0, LENGTH);
}

/** 64 bits are enough: only prompts of one session are compared. */
const LENGTH = 16;

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
