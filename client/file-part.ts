import type { Part } from "#kit/events/content.ts";
import { invalidArgument } from "./fairlead-error.ts";

/** A file's bytes with their type: what an `<input type="file">` gives, or `new Blob([bytes], { type })`. */
export type FileContent = Blob;

/** `String.fromCharCode` takes no more arguments than fit on the stack. */
const SLICE = 0x8000;

/** The file as a part of a message, or as an artifact. A file without a type is `application/octet-stream`. */
export async function createFilePart(file: FileContent): Promise<Part> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE) binary += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  return { inlineData: { mimeType: file.type || "application/octet-stream", data: btoa(binary) } };
}

/** The bytes of a part with `inlineData` or `text`. Throws `INVALID_MESSAGE` for any other part. */
export function toBlob({ inlineData, text }: Part): FileContent {
  if (text !== undefined) return new Blob([text], { type: "text/plain" });
  if (inlineData?.data === undefined)
    throw invalidArgument("INVALID_MESSAGE", "The part has neither inlineData with data nor text.");
  const bytes = Uint8Array.from(atob(inlineData.data), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: inlineData.mimeType ?? "" });
}
