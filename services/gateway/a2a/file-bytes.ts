import { toStandardBase64 } from "#kit/events/base64.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { malformed } from "../tasks/task-errors.ts";

/**
 * Throws for a file of a message, in the JSON of either version, whose bytes are not base64: the SDK's codecs would drop
 * what they cannot read, and the agent would get another file.
 */
export function assertFileBytes(message: unknown): void {
  if (!isJsonObject(message)) return;
  for (const list of ["parts", "content"]) {
    const parts = message[list];
    if (!Array.isArray(parts)) continue;
    for (const [index, part] of parts.entries()) {
      const place = `\`message.${list}[${index}]`;
      if (!isJsonObject(part)) continue;
      assertBase64(part, ["raw"], place);
      const { file } = part;
      if (isJsonObject(file)) assertBase64(file, ["bytes", "fileWithBytes", "file_with_bytes"], `${place}.file`);
    }
  }
}

function assertBase64(members: JsonObject, names: readonly string[], place: string): void {
  for (const name of names) {
    const value = members[name];
    if (typeof value === "string" && toStandardBase64(value) === undefined)
      throw malformed(`${place}.${name}\` should be base64.`);
  }
}
