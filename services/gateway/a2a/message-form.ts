import { toStandardBase64 } from "#kit/events/base64.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { malformed } from "../tasks/task-errors.ts";

/** Members that are texts, in the JSON of either version and in both spellings of 0.3 over HTTP. */
const MESSAGE_TEXTS = ["messageId", "message_id", "contextId", "context_id", "taskId", "task_id", "kind"];
const PART_TEXTS = ["text", "raw", "url", "filename", "mediaType", "kind"];
const FILE_BYTES = ["bytes", "fileWithBytes", "file_with_bytes"];
const FILE_TEXTS = [...FILE_BYTES, "uri", "fileWithUri", "file_with_uri", "name", "mimeType", "mime_type"];

/**
 * Throws for a message, in the JSON of either version, whose members have wrong types, and for a file whose bytes are not
 * base64. The SDK's codecs make a text of anything and drop bytes that they cannot read: the agent would get another
 * message.
 */
export function assertMessageForm(message: unknown): void {
  if (!isJsonObject(message)) return;
  assertTexts(message, MESSAGE_TEXTS, "`message");
  assertObject(message, "metadata", "`message");
  for (const list of ["parts", "content"]) {
    const parts = message[list];
    if (!Array.isArray(parts)) continue;
    for (const [index, part] of parts.entries()) {
      const place = `\`message.${list}[${index}]`;
      if (!isJsonObject(part)) continue;
      assertTexts(part, PART_TEXTS, place);
      assertObject(part, "metadata", place);
      assertBase64(part, ["raw"], place);
      const { file } = part;
      if (!isJsonObject(file)) continue;
      assertTexts(file, FILE_TEXTS, `${place}.file`);
      assertBase64(file, FILE_BYTES, `${place}.file`);
    }
  }
}

function assertTexts(members: JsonObject, names: readonly string[], place: string): void {
  for (const name of names) {
    const value = members[name] ?? "";
    if (typeof value !== "string") throw malformed(`${place}.${name}\` should be a string.`);
  }
}

function assertObject(members: JsonObject, name: string, place: string): void {
  const value = members[name] ?? {};
  if (!isJsonObject(value)) throw malformed(`${place}.${name}\` should be an object.`);
}

function assertBase64(members: JsonObject, names: readonly string[], place: string): void {
  for (const name of names) {
    const value = members[name];
    if (typeof value === "string" && toStandardBase64(value) === undefined)
      throw malformed(`${place}.${name}\` should be base64.`);
  }
}
