import type { JsonValue } from "#kit/platform/json.ts";

/** A value in the form of the Firestore protocol, with only the types that this adapter uses. */
export type WireValue =
  | { readonly nullValue: "NULL_VALUE" }
  | { readonly booleanValue: boolean }
  | { readonly integerValue: string | number }
  | { readonly doubleValue: number }
  | { readonly stringValue: string }
  | { readonly referenceValue: string }
  | { readonly arrayValue: { readonly values?: readonly WireValue[] | null } }
  | { readonly mapValue: { readonly fields?: WireFields | null } };

export type WireFields = Readonly<Record<string, WireValue>>;

/** A value of a document's field. Arrays contain no arrays: the store refuses them. */
export type DocumentValue = JsonValue;
export type DocumentFields = Readonly<Record<string, DocumentValue | undefined>>;

/** Omits fields that are undefined. */
export function toWireFields(fields: DocumentFields): WireFields {
  const wire: Record<string, WireValue> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) wire[name] = toWireValue(value);
  return wire;
}

export function toWireValue(value: DocumentValue): WireValue {
  if (value === null) return { nullValue: "NULL_VALUE" };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { booleanValue: value };
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? { integerValue: value } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toWireValue) } };
  // Neither an array nor a scalar: an object of JSON values.
  return { mapValue: { fields: toWireFields(value as DocumentFields) } };
}

export function fromWireFields(fields: WireFields | null | undefined): Record<string, DocumentValue> {
  const values: Record<string, DocumentValue> = {};
  for (const [name, value] of Object.entries(fields ?? {})) values[name] = fromWireValue(value);
  return values;
}

function fromWireValue(value: WireValue): DocumentValue {
  if ("stringValue" in value) return value.stringValue;
  if ("booleanValue" in value) return value.booleanValue;
  if ("integerValue" in value) return Number(value.integerValue);
  if ("doubleValue" in value) return value.doubleValue;
  if ("arrayValue" in value) return (value.arrayValue.values ?? []).map(fromWireValue);
  if ("mapValue" in value) return fromWireFields(value.mapValue.fields);
  if ("referenceValue" in value) return value.referenceValue;
  return null;
}

/** A vector that the store can search by distance. Its elements must be doubles, even for whole numbers. */
export function toWireVector(numbers: readonly number[]): WireValue {
  const values = numbers.map((doubleValue) => ({ doubleValue }));
  return { mapValue: { fields: { __type__: { stringValue: "__vector__" }, value: { arrayValue: { values } } } } };
}

const SIMPLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The path from a document's root to a field as one text, for masks and filters. */
export function fieldPath(...names: readonly string[]): string {
  return names.map((name) => (SIMPLE_NAME.test(name) ? name : quote(name))).join(".");
}

function quote(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
