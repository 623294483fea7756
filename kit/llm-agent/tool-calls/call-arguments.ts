import { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionCall } from "#kit/events/content.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";

/** A copy that callbacks and the tool may change. */
export function copyArguments({ args = {} }: FunctionCall): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(args)) setOwn(copy, key, copyJson(args[key] ?? null));
  return copy;
}

// Several times as fast as structuredClone, which would take half the time of a small call.
function copyJson(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return copyArguments({ args: value });
  return Array.isArray(value) ? value.map(copyJson) : value;
}

export function wrongArguments(name: string, problem: string): PlatformError {
  return new PlatformError(
    "TOOL_ARGUMENTS_UNREADABLE",
    `The arguments of this call of ${name} cannot be read, so it did not run. ${problem} Call it again with a JSON object.`,
  );
}
