import type { DurationDetails } from "#kit/evaluation/eval-result.ts";
import type { Invocation } from "#kit/evaluation/eval-set.ts";
import type { Metric } from "../metric.ts";
import { mean } from "../scores.ts";
import { efficiencyMetric, type TurnCost } from "./efficiency-metric.ts";

export const INVOCATION_DURATION: Metric = efficiencyMetric({
  name: "invocation_duration_v1",
  description: "Seconds that a turn took, on average, and the part of models, tools and the framework.",
  costOf: (invocation) => costOf(durationOf(invocation)),
  combine: (turns) => costOf(meanOf(turns.map(({ details }) => details?.durationDetails ?? {}))),
});

const PARTS = ["totalSeconds", "modelSeconds", "toolSeconds", "frameworkSeconds"] as const;

function costOf(details: DurationDetails): TurnCost {
  return { score: details.totalSeconds, details: { durationDetails: details } };
}

/** Empty for a turn that was not timed. */
function durationOf(invocation: Invocation): DurationDetails {
  const { duration: totalSeconds, modelDuration: modelSeconds, toolDuration: toolSeconds } = invocation;
  if (typeof totalSeconds !== "number") return {};
  if (typeof modelSeconds !== "number" || typeof toolSeconds !== "number")
    return {
      totalSeconds,
      modelSeconds: typeof modelSeconds === "number" ? modelSeconds : undefined,
      toolSeconds: typeof toolSeconds === "number" ? toolSeconds : undefined,
    };
  // The parts are measured a moment after the total, so that the rest may be slightly negative.
  const frameworkSeconds = toMilliseconds(Math.max(totalSeconds - modelSeconds - toolSeconds, 0));
  return { totalSeconds, modelSeconds, toolSeconds, frameworkSeconds };
}

/** Turns that were not timed are left out. */
function meanOf(turns: readonly DurationDetails[]): DurationDetails {
  const means = PARTS.flatMap((part) => {
    const value = mean(turns.flatMap((turn) => turn[part] ?? []));
    return value === undefined ? [] : [[part, toMilliseconds(value)] as const];
  });
  return Object.fromEntries(means);
}

/** Seconds with three decimals; a tie is rounded to the even one. Exact ties are odd multiples of 1/16. */
function toMilliseconds(seconds: number): number {
  if ((seconds * 16) % 2 !== 1) return Number(seconds.toFixed(3));
  const below = Math.floor(seconds * 1000);
  return (below % 2 === 0 ? below : below + 1) / 1000;
}
