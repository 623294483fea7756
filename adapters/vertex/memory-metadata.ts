import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** Metadata with the types of the service (`MemoryMetadataValue`); what has none of these is kept as its JSON. */
export function toMetadata(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typed(value)]));
}

function typed(value: JsonValue): JsonObject {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { doubleValue: value };
  if (typeof value === "string") return TIME.test(value) ? { timestampValue: value } : { stringValue: value };
  return { stringValue: JSON.stringify(value) };
}

/** The plain value of one that `toMetadata` has typed. */
export function metadataValue(value: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(value) ? Object.values(value)[0] : undefined;
}

/** The plain values of metadata. */
export function fromMetadata(metadata: JsonValue | undefined): JsonObject {
  const plain: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(isJsonObject(metadata) ? metadata : {})) {
    const read = metadataValue(value);
    if (read !== undefined) plain[name] = read;
  }
  return plain;
}
