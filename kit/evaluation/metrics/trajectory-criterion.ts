import type { FunctionCall } from "#kit/events/content.ts";
import { copyPlain } from "#kit/platform/json.ts";
import { readJson } from "#kit/schema/read-json.ts";
import { type Shape, Type } from "#kit/schema/shape.ts";
import type { EvalMetric } from "../eval-result.ts";
import { criterionOf } from "./metric.ts";
import { sameArguments } from "./same-arguments.ts";

/** How the tool calls of a turn have to match the expected ones; their numbers in files are their positions. */
const MATCH_TYPES = ["EXACT", "IN_ORDER", "ANY_ORDER"] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

export interface TrajectoryCriterion {
  readonly matchType: MatchType;
  /** Whether a call equals an expected one. */
  readonly isSame: (actual: FunctionCall, expected: FunctionCall) => boolean;
}

const MATCH_TYPE: Shape<MatchType> = Type.Custom<MatchType>({ enum: MATCH_TYPES }, (value) => {
  if (typeof value === "number") return MATCH_TYPES[value];
  if (typeof value !== "string") return undefined;
  const name = value.trim().toUpperCase().replaceAll(/[ -]/g, "_");
  return MATCH_TYPES.find((type) => type === name);
});

const CRITERION = Type.Object({
  matchType: Type.Optional(MATCH_TYPE),
  ignoreArgs: Type.Optional(Type.Boolean()),
});

/** Throws `INVALID_FIELD`. */
export function trajectoryCriterion(metric: EvalMetric): TrajectoryCriterion {
  const { matchType = "EXACT", ignoreArgs = false } = readJson(
    CRITERION,
    // The reader changes its argument in place, so it gets a copy.
    copyPlain(criterionOf(metric)),
    metric.metricName,
  );
  const isSame = (actual: FunctionCall, expected: FunctionCall): boolean =>
    actual.name === expected.name && (ignoreArgs || sameArguments(actual.args, expected.args));
  return { matchType, isSame };
}
