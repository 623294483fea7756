import { type ArtifactContent, packArtifact } from "#kit/artifacts/artifact-content.ts";
import type { SaveArtifactRequest } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ContentPlace, ContentSealer } from "#ports/encryption/content-sealer.ts";
import { type SealedBlocks, sealBlocks } from "#ports/encryption/sealed-blocks.ts";

/** The metadata of an object, besides its bytes. */
export interface ObjectAttributes {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An object's resource, with only the members that are requested. */
export interface ObjectResource {
  readonly name: string;
  readonly generation: string;
  readonly timeCreated: string;
  readonly contentType?: string;
  readonly size?: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The metadata of a version, without its bytes. */
export interface VersionRecord {
  readonly createTime: number;
  readonly customMetadata: JsonObject;
  readonly mimeType?: string;
  /** The part without the content of the bytes. */
  readonly part: Part;
  /** Present if the bytes are encrypted. */
  readonly blocks?: SealedBlocks;
}

/** An object of this content type keeps the number of a deleted version in use. */
export const TOMBSTONE: ObjectAttributes = { contentType: "application/x-fairlead-deleted", metadata: {} };

/** The save that created the object: a save whose answer was lost recognises its own object. */
export const SAVE_ID = "fairleadSaveId";
/** The encrypted record. */
const SEALED = "fairleadSealed";
const KIND = "fairleadKind";
const PART = "fairleadPart";
const CUSTOM = "fairleadCustomMetadata";
const CREATE_TIME = "fairleadCreateTime";

/** Keys of other ADK servers, written as well so that those servers can read the object. */
const ADK_TEXT = "adkIsText";
const ADK_DISPLAY_NAME = "adkDisplayName";
const ADK_FILE_URI = "adkFileUri";
const ADK_FILE_MIME_TYPE = "adkFileMimeType";
const ADK_KEYS: ReadonlySet<string> = new Set([ADK_TEXT, ADK_DISPLAY_NAME, ADK_FILE_URI, ADK_FILE_MIME_TYPE]);

/** Cloud Storage accepts 8 KiB of metadata for an object, keys and values together; all buckets have this limit. */
const MAX_METADATA_BYTES = 8 * 1024;
/** The permitted characters of a header. Any other type is stored in the metadata only. */
const HEADER_VALUE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const UNKNOWN_TYPE = "application/octet-stream";

export interface PackedObject {
  readonly bytes: Uint8Array;
  readonly attributes: ObjectAttributes;
  readonly record: VersionRecord;
}

/** Throws `INVALID_FIELD` for a part that is not an artifact, or whose metadata exceeds the store's limit. */
export function packObject(request: SaveArtifactRequest, createTime: number, saveId: string): PackedObject {
  const content = packArtifact(request.artifact);
  const { part, mimeType } = content;
  // Copied, so that later changes of the caller's object do not change the returned one.
  const customMetadata = structuredClone(request.customMetadata ?? {});
  const metadata = {
    [SAVE_ID]: saveId,
    [KIND]: kindOf(part),
    [PART]: toAsciiJson(part),
    [CREATE_TIME]: String(createTime),
    ...(Object.keys(customMetadata).length > 0 && { [CUSTOM]: toAsciiJson(customMetadata) }),
    ...adkMetadata(part),
  };
  assertMetadataFits(metadata);
  return {
    bytes: content.bytes ?? new Uint8Array(),
    attributes: { contentType: contentTypeOf(content), metadata },
    record: { createTime, customMetadata, part, mimeType },
  };
}

/**
 * The object of this version with its content encrypted: the bytes, and one member of the metadata that holds the rest.
 * Throws `INVALID_FIELD` if that exceeds the store's limit.
 */
export function sealObject(
  { bytes, attributes, record }: PackedObject,
  sealer: ContentSealer,
  { data, metadata: place }: ObjectPlaces,
): PackedObject {
  const saveId = attributes.metadata[SAVE_ID] ?? "";
  const { bytes: sealed, ...blocks } = sealBlocks(bytes, { sealer, place: data });
  const metadata = { [SAVE_ID]: saveId, [SEALED]: sealer.sealText(JSON.stringify({ ...record, blocks }), place) };
  assertMetadataFits(metadata);
  return { bytes: sealed, attributes: { contentType: UNKNOWN_TYPE, metadata }, record };
}

/** The places to which the two encrypted parts of an object are bound. */
export interface ObjectPlaces {
  readonly data: ContentPlace;
  readonly metadata: ContentPlace;
}

export function isSealed({ metadata }: ObjectResource): boolean {
  return metadata?.[SEALED] !== undefined;
}

export function isTombstone({ contentType }: ObjectResource): boolean {
  return contentType === TOMBSTONE.contentType;
}

/** Reads objects of this class and of other ADK servers. `open` decrypts encrypted ones. */
export function readRecord(resource: ObjectResource, open: (text: string) => string): VersionRecord {
  const metadata = resource.metadata ?? {};
  const sealed = metadata[SEALED];
  // Written by sealObject.
  if (typeof sealed === "string") return JSON.parse(open(sealed)) as VersionRecord;
  const json = metadata[PART];
  if (typeof json !== "string") return readAdkRecord(resource);
  // Only packObject writes this key.
  const part = JSON.parse(json) as Part;
  const custom = metadata[CUSTOM];
  return {
    part,
    // Only packObject writes this key, too.
    customMetadata: typeof custom === "string" ? (JSON.parse(custom) as JsonObject) : {},
    createTime: Number(metadata[CREATE_TIME]),
    ...mimeTypeOf(part),
  };
}

/** Whether the object's bytes belong to the part. */
export function hasBytes({ part }: VersionRecord): boolean {
  return part.fileData === undefined;
}

function readAdkRecord(resource: ObjectResource): VersionRecord {
  const metadata = resource.metadata ?? {};
  const customMetadata = Object.fromEntries(Object.entries(metadata).filter(([key]) => !ADK_KEYS.has(key)));
  const part = toAdkPart(metadata, resource.contentType);
  return { part, customMetadata, createTime: fromIsoTime(resource.timeCreated) ?? 0, ...mimeTypeOf(part) };
}

function toAdkPart(metadata: NonNullable<ObjectResource["metadata"]>, contentType: string | undefined): Part {
  const fileUri = metadata[ADK_FILE_URI];
  if (typeof fileUri === "string") {
    const mimeType = metadata[ADK_FILE_MIME_TYPE];
    return { fileData: { fileUri, mimeType: typeof mimeType === "string" && mimeType !== "" ? mimeType : undefined } };
  }
  if (String(metadata[ADK_TEXT]).toLowerCase() === "true") return { text: "" };
  const displayName = metadata[ADK_DISPLAY_NAME];
  return {
    inlineData: {
      mimeType: contentType,
      displayName: typeof displayName === "string" && displayName !== "" ? displayName : undefined,
    },
  };
}

function adkMetadata({ inlineData, text, fileData }: Part): Record<string, string> {
  if (text !== undefined) return { [ADK_TEXT]: "true" };
  if (fileData?.fileUri !== undefined) {
    const { fileUri, mimeType } = fileData;
    return { [ADK_FILE_URI]: fileUri, ...(mimeType !== undefined && { [ADK_FILE_MIME_TYPE]: mimeType }) };
  }
  const displayName = inlineData?.displayName;
  return displayName === undefined ? {} : { [ADK_DISPLAY_NAME]: displayName };
}

function mimeTypeOf({ inlineData, fileData, text }: Part): { mimeType?: string } {
  const mimeType = text === undefined ? (inlineData ?? fileData)?.mimeType : "text/plain";
  return mimeType === undefined ? {} : { mimeType };
}

function contentTypeOf({ part, mimeType }: ArtifactContent): string {
  if (part.text !== undefined) return "text/plain; charset=utf-8";
  const usable = mimeType !== undefined && HEADER_VALUE.test(mimeType) && mimeType !== TOMBSTONE.contentType;
  return usable ? mimeType : UNKNOWN_TYPE;
}

function kindOf({ text, fileData }: Part): string {
  if (text !== undefined) return "text";
  return fileData === undefined ? "inline" : "fileData";
}

/** Metadata is also sent as headers, which can only contain ASCII. */
function toAsciiJson(value: unknown): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escape);
}

/** Throws `INVALID_FIELD` for more metadata than a bucket accepts. */
export function assertMetadataFits(metadata: Readonly<Record<string, string>>): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(metadata)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes <= MAX_METADATA_BYTES) return;
  throw new PlatformError(
    "INVALID_FIELD",
    `customMetadata, with what the artifact has besides its data, needs ${bytes} bytes; this store accepts ${MAX_METADATA_BYTES}. Put large values into the artifact's data.`,
    { details: { field: "customMetadata" } },
  );
}
