import type { Part } from "#kit/events/content.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { ContentPart, OffloadPlace, Upload } from "./analytics-row.ts";
import { TRUNCATION_SUFFIX } from "./clean-value.ts";

/** Longer texts go to the bucket, if there is one. */
const MAX_INLINE_TEXT = 32 * 1024;
const PREVIEW_CHARACTERS = 200;

export interface PartOptions {
  /** Absent: large contents go nowhere. */
  readonly offload: OffloadPlace | undefined;
  readonly maxLength: number;
  readonly ids: IdGenerator;
  /** The beginning of objects' names: date, trace and span. */
  readonly place: () => string;
}

export interface RowParts {
  readonly parts: readonly ContentPart[];
  readonly uploads: readonly Upload[];
  readonly isTruncated: boolean;
}

export const NO_CONTENT_PARTS: RowParts = { parts: [], uploads: [], isTruncated: false };

/**
 * The column `content_parts`: empty unless the content has files, or a text that goes to the bucket. Without a bucket
 * the data of files is not recorded.
 */
export function toContentParts(parts: readonly Part[], options: PartOptions): RowParts {
  const { offload, maxLength } = options;
  const maxInline = Math.min(MAX_INLINE_TEXT, maxLength);
  const isLong = ({ text }: Part): boolean => offload !== undefined && text !== undefined && text.length > maxInline;
  if (!parts.some((part) => part.inlineData !== undefined || part.fileData !== undefined || isLong(part)))
    return NO_CONTENT_PARTS;
  const uploads: Upload[] = [];
  let isTruncated = false;
  const converted = parts.map((part, index): ContentPart => {
    const { text, inlineData, fileData } = part;
    const base = { part_index: index, part_attributes: "{}", storage_mode: "INLINE" as const };
    if (fileData !== undefined)
      return { ...base, mime_type: fileData.mimeType ?? "", uri: fileData.fileUri, storage_mode: "EXTERNAL_URI" };
    const mimeType = inlineData?.mimeType ?? (text === undefined ? "application/json" : "text/plain");
    const made: ContentPart = { ...base, mime_type: mimeType };
    if (inlineData !== undefined && offload === undefined) made.text = "[BINARY DATA]";
    else if (inlineData !== undefined)
      uploads.push(upload(made, Buffer.from(inlineData.data ?? "", "base64"), options));
    else if (isLong(part)) {
      uploads.push(upload(made, Buffer.from(text ?? ""), options));
      made.text = text?.slice(0, PREVIEW_CHARACTERS) ?? "";
    } else if (text !== undefined) {
      const isCut = text.length > maxLength;
      isTruncated ||= isCut;
      made.text = isCut ? text.slice(0, maxLength) + TRUNCATION_SUFFIX : text;
    }
    return made;
  });
  return { parts: converted, uploads, isTruncated };
}

function upload(part: ContentPart, data: Uint8Array, { place, offload, ids }: PartOptions): Upload {
  const object = `${place()}_p${part.part_index}_${ids.next()}${extensionOf(part.mime_type)}`;
  const uri = `gs://${offload?.bucket}/${object}`;
  part.uri = uri;
  part.storage_mode = "GCS_REFERENCE";
  part.object_ref = {
    uri,
    ...(offload?.authorizer !== undefined && { authorizer: offload.authorizer }),
    details: JSON.stringify({ gcs_metadata: { content_type: part.mime_type } }),
  };
  return { part, object, data };
}

function extensionOf(mimeType: string): string {
  if (mimeType === "text/plain") return ".txt";
  const [, subtype = ""] = /^[\w.+-]+\/([\w.-]{1,20})/.exec(mimeType) ?? [];
  return subtype === "" ? ".bin" : `.${subtype}`;
}
