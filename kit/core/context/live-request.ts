import { toStandardBase64 } from "#kit/events/base64.ts";
import type { Blob, Content } from "#kit/events/content.ts";
import { BLOB, CONTENT } from "#kit/events/content-table.ts";
import { invalidField, parseJson, readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";

/** One message of a client on a live connection. */
export interface LiveRequest {
  /** A turn of the user. */
  readonly content?: Content;
  /** A chunk of media, such as audio. */
  readonly blob?: Blob;
  /** Whether the connection should be closed. */
  readonly close?: boolean;
}

const LIVE_REQUEST = Type.Table<LiveRequest>({
  content: Type.Optional(CONTENT),
  blob: Type.Optional(BLOB),
  close: Type.Optional(Type.Boolean()),
});

/**
 * Reads a live request from its JSON text, with member names in camelCase or snake_case; base64 of any alphabet becomes
 * the standard one. Throws `MALFORMED_JSON` and `INVALID_FIELD`, which names the member.
 */
export function liveRequestFromJson(json: string): LiveRequest {
  const { content, blob, close } = readJson(LIVE_REQUEST, parseJson(json, "The live request"));
  return {
    content,
    blob: blob && readBlob(blob),
    close,
  };
}

function readBlob(blob: Blob): Blob {
  if (blob.data === undefined) throw invalidField("blob.data", "is missing");
  const data = toStandardBase64(blob.data);
  if (data === undefined) throw invalidField("blob.data", "must be base64 without spaces or line breaks");
  return { ...blob, data };
}
