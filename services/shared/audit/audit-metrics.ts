import { createHistogram, createValue, type MetricRegistry } from "../metrics/metric-registry.ts";

/** Observes the writing of audit records. */
export interface AuditObserver {
  written(count: number, durationMs: number): void;
  failed(): void;
  /** A decision was lost: it has no record. */
  lost(): void;
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

export function createAuditMetrics(registry: MetricRegistry): AuditObserver {
  const count = (name: string, help: string) => createValue("counter", { name, help, labelNames: [], registry })({});
  const records = count("fairlead_audit_records_total", "Audit records that were written.");
  const failures = count("fairlead_audit_write_failures_total", "Attempts to write audit records that failed.");
  const lost = count(
    "fairlead_audit_records_lost_total",
    "Decisions without an audit record: the log failed for too long.",
  );
  const duration = createHistogram({
    name: "fairlead_audit_write_duration_seconds",
    help: "Time to write a batch of audit records durably.",
    labelNames: [],
    buckets: SECONDS,
    registry,
  })({});
  return {
    written: (batch, durationMs) => {
      records.add(batch);
      duration.observe(durationMs / 1000);
    },
    failed: () => failures.add(1),
    lost: () => lost.add(1),
  };
}
