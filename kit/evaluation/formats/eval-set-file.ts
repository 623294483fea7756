import { isJsonObject } from "#kit/platform/json.ts";
import { parseJson } from "#kit/schema/read-json.ts";
import { parseEvalSet, toEvalSetJson } from "../eval-json.ts";
import type { EvalSet } from "../eval-set.ts";
import { isOldEvalSet, parseOldEvalSet } from "./old-eval-set.ts";

/**
 * Reads the text of a file of an evaluation set, in any of its forms and spellings. `fileName` is its name without
 * folders, of which the id of a set in an older form is made. Throws `MALFORMED_JSON` and `INVALID_FIELD`.
 */
export function parseEvalSetFile(text: string, fileName: string): EvalSet {
  const value = parseJson(text, fileName);
  if (isOldEvalSet(value)) return parseOldEvalSet(value, evalSetIdOf(fileName));
  // A file of another server may lack the id, which is that of its name.
  const hasId = isJsonObject(value) && ("evalSetId" in value || "eval_set_id" in value);
  return parseEvalSet(hasId || !isJsonObject(value) ? value : { ...value, eval_set_id: evalSetIdOf(fileName) });
}

/** The text of a set's file. */
export function formatEvalSetFile(set: EvalSet): string {
  return `${JSON.stringify(toEvalSetJson(set), null, 2)}\n`;
}

/** `weather.evalset.json` and `weather.test.json` are the set `weather`. */
function evalSetIdOf(fileName: string): string {
  return fileName
    .replace(/\.json$/, "")
    .replace(/\.(evalset|test)$/, "")
    .replaceAll(/[^a-zA-Z0-9_-]/g, "_")
    .slice(0, 128);
}
