import { PlatformError } from "../errors/platform-error.ts";
import type { Part } from "../events/content.ts";

/** A part in the form that stores write: its raw bytes, and the part without them. */
export interface ArtifactContent {
  /** The part without the data or text that `bytes` holds. */
  readonly part: Part;
  /** Absent for `fileData`, which is only a reference. */
  readonly bytes?: Uint8Array;
  readonly mimeType?: string;
}

/**
 * Throws `INVALID_FIELD` unless the part holds exactly one of `inlineData`, `text` and `fileData`, with valid base64.
 */
export function packArtifact(artifact: Part): ArtifactContent {
  const { inlineData, text, fileData } = artifact;
  const given = [inlineData, text, fileData].filter((member) => member !== undefined);
  if (given.length !== 1) throw invalid("artifact", "must hold exactly one of inlineData, text and fileData");
  if (inlineData !== undefined) {
    const { data, ...rest } = inlineData;
    if (typeof data !== "string") throw invalid("artifact.inlineData.data", "must be a base64 string");
    return { part: { ...artifact, inlineData: rest }, bytes: decodeBase64(data), ...mimeTypeOf(inlineData.mimeType) };
  }
  if (text !== undefined) {
    if (typeof text !== "string") throw invalid("artifact.text", "must be a string");
    return { part: { ...artifact, text: "" }, bytes: Buffer.from(text, "utf8"), mimeType: "text/plain" };
  }
  if (typeof fileData?.fileUri !== "string" || fileData.fileUri === "") {
    throw invalid("artifact.fileData.fileUri", "must be a non-empty string");
  }
  return { part: artifact, ...mimeTypeOf(fileData.mimeType) };
}

/** The original part, its data as standard base64 with padding. */
export function unpackArtifact({ part, bytes }: ArtifactContent): Part {
  if (bytes === undefined) return part;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return withContent(part, buffer.toString(contentEncoding(part)));
}

/** How the bytes of the part's content are written in JSON. */
export function contentEncoding({ inlineData }: Part): "base64" | "utf8" {
  return inlineData === undefined ? "utf8" : "base64";
}

/** The part with its text, or its data in base64. */
export function withContent(part: Part, content: string): Part {
  if (part.inlineData === undefined) return { ...part, text: content };
  const { mimeType, ...rest } = part.inlineData;
  return { ...part, inlineData: { mimeType, data: content, ...rest } };
}

/**
 * Node skips characters that are not base64 without an error. The length of the result then differs from the expected
 * one.
 */
function decodeBase64(data: string): Uint8Array {
  const bytes = Buffer.from(data, "base64");
  const digits = data.length - (data.endsWith("==") ? 2 : Number(data.endsWith("=")));
  if (digits % 4 === 1 || bytes.length !== Math.floor((digits * 3) / 4)) {
    throw invalid("artifact.inlineData.data", "must be base64 without spaces or line breaks");
  }
  return bytes;
}

function mimeTypeOf(mimeType: string | undefined): { mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType };
}

function invalid(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field} ${problem}.`, { details: { field } });
}
