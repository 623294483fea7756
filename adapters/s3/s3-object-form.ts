import type { HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import type { ObjectAttributes } from "#ports/artifacts/bucket/object-metadata.ts";

/** The body and the metadata that the service stores for one object. */
export interface StoredForm {
  readonly body: Uint8Array;
  readonly metadata: Readonly<Record<string, string>>;
}

/** S3 accepts 2 KiB of metadata for an object, its names included. */
const MAX_RECORD_BYTES = 1_900;
/** The metadata as JSON. One header, because the service changes the case of names. */
const RECORD = "fairlead-record";
/** The length of the content, if the metadata follows it in the body. */
const CONTENT_BYTES = "fairlead-content-bytes";

/**
 * Listings name only the sizes of objects, so an empty object is a deleted version, and no other object may be empty. The metadata
 * of an empty content therefore stands in the body, as does metadata that is too long for a header.
 */
export function toStoredForm(bytes: Uint8Array, { metadata }: ObjectAttributes): StoredForm {
  const record = toHeaderJson(metadata);
  if (bytes.length > 0 && record.length <= MAX_RECORD_BYTES) return { body: bytes, metadata: { [RECORD]: record } };
  return {
    body: Buffer.concat([bytes, Buffer.from(record)]),
    metadata: { [CONTENT_BYTES]: String(bytes.length) },
  };
}

/** The length of the content in an object's body, which may be followed by its metadata. */
export function contentBytesOf({ Metadata, ContentLength = 0 }: Headers): number {
  const bytes = Number(Metadata?.[CONTENT_BYTES] ?? ContentLength);
  return Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= ContentLength ? bytes : ContentLength;
}

/** Whether the metadata follows the content in the body. */
export function hasTrailer(headers: Headers): boolean {
  return contentBytesOf(headers) < (headers.ContentLength ?? 0);
}

/** An object's metadata; `trailer` is the end of its body. Other programs' objects have only the service's metadata. */
export function metadataOf({ Metadata }: Headers, trailer: Uint8Array | undefined): Readonly<Record<string, string>> {
  const record = trailer === undefined ? Metadata?.[RECORD] : Buffer.from(trailer).toString("utf8");
  // Written by toStoredForm.
  return record === undefined ? { ...Metadata } : (JSON.parse(record) as Record<string, string>);
}

type Headers = Pick<HeadObjectCommandOutput, "Metadata" | "ContentLength">;

/** Signatures join several spaces, and servers differ about other characters than ASCII. */
function toHeaderJson(value: unknown): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[ \u007f-\uffff]/g, escape);
}
