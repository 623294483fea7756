import { toStandardBase64 } from "#kit/events/base64.ts";
import type { Blob, Content } from "#kit/events/content.ts";
import { BLOB_SHAPE, CONTENT_SHAPE } from "#kit/events/content-json.ts";
import { inCamelCase } from "#kit/platform/camel-case.ts";
import { invalidField, type JsonRecord, parseJson, readRecord } from "#kit/schema/read-json.ts";

/** One message of a client on a live connection. */
export interface LiveRequest {
  /** A turn of the user. */
  readonly content?: Content;
  /** A chunk of media, such as audio. */
  readonly blob?: Blob;
  /** Whether the connection should be closed. */
  readonly close?: boolean;
}

const LIVE_REQUEST: JsonRecord = { members: { content: CONTENT_SHAPE, blob: BLOB_SHAPE, close: "boolean" } };

/** Below these members the keys belong to tools and applications. */
const FREE = new Set(["args", "response", "partMetadata"]);

/**
 * Reads a live request from its JSON text, with member names in camelCase or snake_case; base64 of any alphabet becomes
 * the standard one. Throws `MALFORMED_JSON` and `INVALID_FIELD`, which names the member.
 */
export function liveRequestFromJson(json: string): LiveRequest {
  // Every member was checked against the table.
  const message = inCamelCase(parseJson(json, "The live request"), FREE);
  const { content, blob, close } = readRecord(message, LIVE_REQUEST) as LiveRequest;
  return {
    ...(content !== undefined && { content }),
    ...(blob !== undefined && { blob: readBlob(blob) }),
    ...(close !== undefined && { close }),
  };
}

function readBlob(blob: Blob): Blob {
  if (blob.data === undefined) throw invalidField("blob.data", "is missing");
  const data = toStandardBase64(blob.data);
  if (data === undefined) throw invalidField("blob.data", "must be base64 without spaces or line breaks");
  return { ...blob, data };
}
