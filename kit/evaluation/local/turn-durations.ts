import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { TurnRecord } from "../inference/run-case.ts";

type Interval = readonly [start: number, end: number];

/**
 * Splits the duration of a turn into models, tools and the rest, from the spans of its run. Time with several calls in
 * progress counts once.
 */
export function turnDurations(
  spans: readonly SpanRecord[],
): Pick<TurnRecord, "duration" | "modelDuration" | "toolDuration"> {
  const run = spans.find(({ name }) => name === "invocation");
  if (run === undefined) return {};
  const models = spans.filter(({ name }) => name === "call_llm");
  const tools = spans.filter(({ name }) => name.startsWith("execute_tool"));
  const modelMs = coveredMs(models.map(intervalOf));
  // Time of model calls within a tool counts as model time.
  const bothMs = coveredMs([...models, ...tools].map(intervalOf));
  return {
    duration: seconds(run.endTime - run.startTime),
    modelDuration: seconds(modelMs),
    toolDuration: seconds(bothMs - modelMs),
  };
}

function intervalOf({ startTime, endTime }: SpanRecord): Interval {
  return [startTime, endTime];
}

/** How long at least one of the intervals lasts. */
function coveredMs(intervals: readonly Interval[]): number {
  let [covered, until] = [0, Number.NEGATIVE_INFINITY];
  for (const [start, end] of [...intervals].sort(([one], [other]) => one - other)) {
    if (end <= until) continue;
    covered += end - Math.max(start, until);
    until = end;
  }
  return covered;
}

function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(3));
}
