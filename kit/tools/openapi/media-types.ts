import type { JsonObject } from "#kit/platform/json.ts";

/** How a body is written. */
export type BodyKind = "json" | "json-lines" | "form" | "parts" | "text" | "bytes";

/** The bytes or the text of a body, and its media type. */
export interface BodyContent {
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
}

/** The type without parameters, in lower case. */
export function mediaTypeOf(text: string): string {
  return text.split(";")[0]?.trim().toLowerCase() ?? "";
}

export function isJsonType(type: string): boolean {
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}

export function isXmlType(type: string): boolean {
  return type === "application/xml" || type === "text/xml" || type.endsWith("+xml");
}

export const FORM_TYPE = "application/x-www-form-urlencoded";
export const PARTS_TYPE = "multipart/form-data";
export const BYTES_TYPE = "application/octet-stream";
export const JSON_TYPE = "application/json";
export const MERGE_PATCH_TYPE = "application/merge-patch+json";
export const JSON_PATCH_TYPE = "application/json-patch+json";

const YAML = /^(?:application|text)\/(?:(?:x-|vnd\.)?yaml|[\w.-]+\+yaml)$/;
const JSON_LINES = /^(?:application|text)\/(?:(?:x-)?ndjson|(?:x-)?jsonl|x-jsonlines|jsonlines)$/;
const BYTES =
  /^(?:(?:image|audio|video|font)\/.+|application\/(?:octet-stream|pdf|zip|gzip|x-gzip|x-tar|x-zip-compressed|vnd\.ms-.+|vnd\.openxmlformats-.+))$/;
const TEXT = /^(?:text\/.+|application\/(?:graphql|sql|javascript|x-javascript|jwt|jose|sdp|x-sh|x-pem-file))$/;

/** How a body of the type is written; undefined for one that is not supported. Other types than these follow the schema. */
export function bodyKindOf(type: string, schema: JsonObject): BodyKind | undefined {
  if (type === "*/*" || type === "application/*") return isBinary(schema) ? "bytes" : "json";
  // JSON is YAML.
  if (isJsonType(type) || YAML.test(type)) return "json";
  if (JSON_LINES.test(type)) return "json-lines";
  if (type === FORM_TYPE) return "form";
  if (type === PARTS_TYPE) return "parts";
  if (isXmlType(type) || TEXT.test(type)) return "text";
  if (BYTES.test(type) || isBinary(schema)) return "bytes";
  return schema["type"] === "string" ? "text" : undefined;
}

/** Whether a schema is one of bytes: a `binary` text in OpenAPI 3.0, and a text with a media type in 3.1. */
export function isBinary({ format, contentMediaType, contentEncoding, type }: JsonObject): boolean {
  if (format === "binary") return true;
  return typeof contentMediaType === "string" && contentEncoding === undefined && (type ?? "string") === "string";
}
