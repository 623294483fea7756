import type { MetricDetails } from "./eval-result.ts";

/**
 * A remark on an evaluation, such as why a metric has no score. It is a score of a rubric without a verdict, because
 * other programs that read results refuse members that they do not know, and show the rationale of rubrics.
 */
const REMARK_ID = "fairlead:remark";

export function withMetricNote(details: MetricDetails | undefined, remark: string): MetricDetails {
  return { ...details, rubricScores: [...(details?.rubricScores ?? []), { rubricId: REMARK_ID, rationale: remark }] };
}

/** The remarks on a result, in their order. */
export function metricNotes({ details }: { readonly details?: MetricDetails | undefined }): readonly string[] {
  const remarks = (details?.rubricScores ?? []).filter(({ rubricId }) => rubricId === REMARK_ID);
  return remarks.map(({ rationale }) => rationale ?? "");
}
