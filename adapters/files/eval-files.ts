import { join } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import { evalSetResultName } from "#kit/evaluation/eval-result.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { readIfPresent } from "./durable-files.ts";
import { fromFileSegment, isHashedSegment, toFileSegment } from "./file-segment.ts";

/** The names of the files of evaluation data. */
export const SET_SUFFIX = ".evalset.json";
export const RESULT_SUFFIX = ".evalset_result.json";
export const HISTORY = [".adk", "eval_history"] as const;

/** Names that other ADK servers use for the same data stay unchanged. Must not match a hashed segment. */
export const PLAIN_NAME = /^(?!_[0-9a-f]{64}$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

export function toPlainSegment(name: string): string {
  return PLAIN_NAME.test(name) ? name : toFileSegment(name);
}

export function stemsOf(names: readonly string[], suffix: string): readonly string[] {
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
}

/** A result's name by its file's; undefined for a file that does not belong to this store. */
export async function resultName(folder: string, stem: string): Promise<string | undefined> {
  if (PLAIN_NAME.test(stem)) return stem;
  if (!isHashedSegment(stem)) return fromFileSegment(stem);
  try {
    const bytes = await readIfPresent(join(folder, stem + RESULT_SUFFIX));
    return bytes && evalSetResultName(readEvalFile(bytes, "", parseEvalSetResult).evalSetResultName);
  } catch (error) {
    // The result's name cannot be read, and one broken file must not hide the others.
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** Throws `EVAL_DATA_BROKEN`. */
export function readEvalFile<T>(bytes: Buffer, what: string, parse: (value: JsonValue) => T): T {
  try {
    return parse(parseJson(bytes.toString("utf8")));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof PlatformError)) throw error;
    const problem = error instanceof PlatformError ? error.message : "its file is not JSON.";
    throw new PlatformError("EVAL_DATA_BROKEN", `${what} cannot be read: ${problem} Repair or delete it.`, {
      cause: error,
    });
  }
}

/** Old servers encoded results twice. */
function parseJson(text: string): JsonValue {
  // JSON.parse returns JSON values only.
  const value = JSON.parse(text) as JsonValue;
  return typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
}
