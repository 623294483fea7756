import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
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
  // Files of other servers can lack the id. The file's name is the id then.
  if (!isJsonObject(value)) return parseEvalSet(value);
  const named = withId(value, ["evalSetId", "eval_set_id"], evalSetIdOf(fileName));
  const [list = ""] = ["evalCases", "eval_cases"].filter((name) => Array.isArray(named[name]));
  const cases: JsonValue = named[list] ?? [];
  if (!Array.isArray(cases)) return parseEvalSet(named);
  const withIds = cases.map((one: JsonValue, index) =>
    isJsonObject(one) ? withId(one, ["evalId", "eval_id"], `case_${index + 1}`) : one,
  );
  return parseEvalSet(list === "" ? named : { ...named, [list]: withIds });
}

/** With the id in place of one that is absent or empty. */
function withId(value: JsonObject, names: readonly [string, string], id: string): JsonObject {
  const given = names.find((name) => (value[name] ?? "") !== "");
  if (given !== undefined) return value;
  const others = Object.entries(value).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(others), [names[1]]: id };
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
