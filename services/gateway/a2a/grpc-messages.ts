import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** A message in the form of the library that reads it: free JSON is in messages of google.protobuf. */
export type ProtoMessage = Readonly<Record<string, unknown>>;

/** Members whose values are a `Struct`. */
const STRUCTS: ReadonlySet<string> = new Set(["metadata", "params", "header"]);

/** The message as its JSON. Members that are not set are left out. */
export function toJson(value: unknown, name = ""): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map((item) => toJson(item));
  if (typeof value !== "object" || value === null) return value;
  // The library returns plain objects.
  const message = value as ProtoMessage;
  if (STRUCTS.has(name)) return fromStruct(message);
  if (typeof message["kind"] === "string") return fromValue(message);
  if (typeof message["seconds"] === "number")
    return toIsoTime(message["seconds"] * 1000 + Number(message["nanos"]) / 1e6);
  const members = Object.entries(message).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, toJson(member, key)]));
}

/** The JSON as the message that the library writes. */
export function toProto(value: unknown, name = ""): unknown {
  if (STRUCTS.has(name) && isJsonObject(value)) return toStruct(value);
  if (name === "data") return toValue(value);
  if (name === "timestamp" && typeof value === "string") return toTimestamp(value);
  if (Array.isArray(value)) return value.map((item) => toProto(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toProto(member, key)]));
}

function toTimestamp(text: string): ProtoMessage {
  const timeMs = fromIsoTime(text) ?? 0;
  return { seconds: Math.floor(timeMs / 1000), nanos: (timeMs % 1000) * 1_000_000 };
}

function toStruct(value: JsonObject): ProtoMessage {
  return { fields: Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toValue(member)])) };
}

function toValue(value: unknown): ProtoMessage {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "number":
      return { numberValue: value };
    case "boolean":
      return { boolValue: value };
    default:
      if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
      return isJsonObject(value) ? { structValue: toStruct(value) } : { nullValue: "NULL_VALUE" };
  }
}

function fromStruct({ fields }: ProtoMessage): JsonObject {
  const members = Object.entries((fields ?? {}) as Readonly<Record<string, ProtoMessage>>);
  // `fromEntries` makes own members, also of names such as __proto__.
  return Object.fromEntries(members.map(([key, value]) => [key, fromValue(value)])) as JsonObject;
}

function fromValue(value: ProtoMessage): unknown {
  const { kind } = value;
  const content = typeof kind === "string" ? value[kind] : null;
  switch (kind) {
    case "structValue":
      return fromStruct(content as ProtoMessage);
    case "listValue":
      return ((content as ProtoMessage)["values"] as readonly ProtoMessage[]).map(fromValue);
    case "nullValue":
      return null;
    default:
      return content;
  }
}
