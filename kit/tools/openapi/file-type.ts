import { isUtf8 } from "node:buffer";
import { BYTES_TYPE } from "./media-types.ts";

/** The media type of a file, and the usual end of its name. */
export interface FileType {
  readonly mediaType: string;
  readonly extension: string;
}

/** How files begin, as Latin-1. */
const BEGINNINGS: readonly (readonly [beginning: RegExp, mediaType: string, extension: string])[] = [
  [/^\x89PNG\r\n/, "image/png", ".png"],
  [/^\xff\xd8\xff/, "image/jpeg", ".jpg"],
  [/^GIF8[79]a/, "image/gif", ".gif"],
  [/^RIFF.{4}WEBP/s, "image/webp", ".webp"],
  [/^RIFF.{4}WAVE/s, "audio/wav", ".wav"],
  [/^%PDF-/, "application/pdf", ".pdf"],
  [/^PK\x03\x04/, "application/zip", ".zip"],
  [/^\x1f\x8b/, "application/gzip", ".gz"],
  [/^OggS/, "audio/ogg", ".ogg"],
  [/^fLaC/, "audio/flac", ".flac"],
  [/^(?:ID3|\xff[\xfb\xf3\xf2])/, "audio/mpeg", ".mp3"],
  [/^.{4}ftyp(?:M4A)/s, "audio/mp4", ".m4a"],
  [/^.{4}ftyp/s, "video/mp4", ".mp4"],
  [/^\x1aE\xdf\xa3/, "video/webm", ".webm"],
];
const BEGINNING_BYTES = 16;
/** Longer texts are not parsed. */
const MAX_TEXT_BYTES = 1_000_000;

/** The type that the bytes show: some servers take a file by its type or name alone. */
export function fileTypeOf(bytes: Uint8Array): FileType {
  const beginning = Buffer.from(bytes.subarray(0, BEGINNING_BYTES)).toString("latin1");
  const known = BEGINNINGS.find(([pattern]) => pattern.test(beginning));
  if (known !== undefined) return { mediaType: known[1], extension: known[2] };
  if (bytes.length === 0 || bytes.length > MAX_TEXT_BYTES || !isUtf8(bytes) || beginning.includes("\0"))
    return { mediaType: BYTES_TYPE, extension: "" };
  const text = Buffer.from(bytes).toString("utf8");
  if (isJson(text)) return { mediaType: "application/json", extension: ".json" };
  return isJson(text.split("\n", 1)[0] ?? "")
    ? { mediaType: "application/jsonl", extension: ".jsonl" }
    : { mediaType: "text/plain", extension: ".txt" };
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Any other text.
    return false;
  }
}
