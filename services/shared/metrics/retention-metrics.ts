import { createValue, type MetricRegistry, resolveOnce } from "./metric-registry.ts";

/** Counts what this process has deleted because it was too old. */
export function createRetentionMetrics(registry: MetricRegistry): (kind: string, count: number) => void {
  const deleted = createValue("counter", {
    name: "fairlead_retention_deleted_total",
    help: "Sessions, records of runs, versions of artifacts, entries of memory and results of evaluations that were deleted because they were older than RETENTION_FILE allows.",
    labelNames: ["kind"],
    registry,
  });
  const byKind = resolveOnce((kind) => deleted({ kind }));
  return (kind, count) => byKind(kind).add(count);
}
