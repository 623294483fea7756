import { readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";
import { UsageError } from "../parse-arguments.ts";
import type { EvalReport } from "./eval-report.ts";
import { dropProbability, type PassRate } from "./pass-rate.ts";

const COUNT = Type.Integer({ minimum: 0 });

const BASELINE = Type.Object({
  cases: Type.Array(
    Type.Object({
      evalSetId: Type.String(),
      evalId: Type.String(),
      passed: COUNT,
      runs: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    }),
  ),
});

/** A case that passes less often than it did, or all cases together. */
export interface Drop {
  /** `set/case`, or `all cases`. */
  readonly name: string;
  readonly before: Count;
  readonly now: Count;
  /** How probable the difference is without a change. */
  readonly probability: number;
}

type Count = Pick<PassRate, "passed" | "runs">;

const SIGNIFICANT = 0.05;

/**
 * The drops since an earlier report that are too large to be chance, at a level of 5 %. For single cases the level is
 * divided by their number, because one of many differs by chance. Cases that one report lacks do not count. Throws
 * `INVALID_FIELD` for what is not a report, and `UsageError` if the reports have no case in common.
 */
export function significantDrops(baseline: unknown, report: EvalReport): readonly Drop[] {
  const before = new Map(readJson(BASELINE, baseline, "baseline").cases.map((each) => [nameOf(each), each]));
  const common = report.cases.flatMap((now) => {
    const earlier = before.get(nameOf(now));
    return earlier === undefined ? [] : [toDrop(nameOf(now), earlier, now)];
  });
  if (common.length === 0) throw new UsageError("The baseline has none of the evaluated cases: it is of other sets.");
  const total = toDrop("all cases", sum(common.map((drop) => drop.before)), sum(common.map((drop) => drop.now)));
  const cases = common.filter(({ probability }) => probability < SIGNIFICANT / common.length);
  return total.probability < SIGNIFICANT ? [total, ...cases] : cases;
}

function nameOf({ evalSetId, evalId }: { readonly evalSetId: string; readonly evalId: string }): string {
  return `${evalSetId}/${evalId}`;
}

function toDrop(name: string, { passed, runs }: Count, now: Count): Drop {
  const before = { passed, runs };
  const current = { passed: now.passed, runs: now.runs };
  return { name, before, now: current, probability: dropProbability(before, current) };
}

function sum(counts: readonly Count[]): Count {
  return counts.reduce((all, { passed, runs }) => ({ passed: all.passed + passed, runs: all.runs + runs }), {
    passed: 0,
    runs: 0,
  });
}
