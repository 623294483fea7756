import { isJsonObject } from "#kit/platform/json.ts";

/**
 * The number of bytes of a body that are data of files: in the message of a run, or of an artifact. Both spellings
 * count.
 */
export function fileBytesOf(body: unknown): number {
  if (!isJsonObject(body)) return 0;
  const message = body["newMessage"] ?? body["new_message"];
  const parts = isJsonObject(message) && Array.isArray(message["parts"]) ? message["parts"] : [];
  const artifact = body["artifact"];
  // An artifact may also be a text; characters are at most bytes.
  const text = isJsonObject(artifact) && typeof artifact["text"] === "string" ? artifact["text"].length : 0;
  return [...parts, artifact].reduce<number>((sum, part) => sum + dataBytesOf(part), text);
}

function dataBytesOf(part: unknown): number {
  if (!isJsonObject(part)) return 0;
  const data = part["inlineData"] ?? part["inline_data"];
  // Base64: a byte each.
  return isJsonObject(data) && typeof data["data"] === "string" ? data["data"].length : 0;
}
