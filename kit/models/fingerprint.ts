import { createHash } from "node:crypto";

/** The same for values that are equal as JSON, whatever the order of their keys. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortKeys)).digest("hex").slice(0, LENGTH);
}

/** 64 bits: prompts of one session are compared, not of the world. */
const LENGTH = 16;

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
