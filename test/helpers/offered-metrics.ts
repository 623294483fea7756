import { systemClock } from "#kit/platform/clock.ts";
import { createRunMetrics } from "#services/runner/metrics/run-metrics.ts";
import { createAuditMetrics } from "#shared/audit/audit-metrics.ts";
import { createLiveMetrics, createPushMetrics, createWebhookMetrics } from "#shared/metrics/delivery-metrics.ts";
import { createMetrics, type Metrics } from "#shared/metrics/metrics.ts";
import { createPeerMetrics } from "#shared/metrics/peer-metrics.ts";
import { createRequestMetrics } from "#shared/metrics/request-metrics.ts";
import { createRetentionMetrics } from "#shared/metrics/retention-metrics.ts";
import { createStoreMetrics } from "#shared/metrics/store-metrics.ts";
import { addExportMetrics } from "#shared/otlp/open-otlp.ts";
import { addTransportMetrics } from "#shared/process/process-metrics.ts";
import { createQuotaMetrics } from "#shared/quota/quota-metrics.ts";
import { addPostgresMetrics } from "#shared/transport/postgres-metrics.ts";
import { createRedisMetrics } from "#shared/transport/redis-metrics.ts";

/** All metrics that some process has at `/metrics`. */
export function createOfferedMetrics(): Metrics {
  const metrics = createMetrics({ clock: systemClock });
  const { registry } = metrics;
  createRequestMetrics(registry);
  createAuditMetrics(registry);
  createQuotaMetrics(registry);
  const runs = createRunMetrics(registry);
  runs.watchLoad?.(() => ({ busySlots: 0, queued: 0, oldestQueuedMs: 0 }));
  runs.watchAnalytics?.(() => undefined);
  createStoreMetrics({ registry, clock: { now: () => 0, monotonic: () => 0 } })("session", {});
  createRedisMetrics(registry);
  addPostgresMetrics(registry, {
    database: { load: { busy: 0, idle: 0, waiting: 0, statements: 0, refused: 0, lost: 0 } },
    signals: { counts: { sent: 0, received: 0, losses: 0 } },
  });
  createPeerMetrics(registry);
  createLiveMetrics(registry);
  createPushMetrics(registry);
  createWebhookMetrics(registry);
  createRetentionMetrics(registry);
  addTransportMetrics(registry, { inMemory: { bytes: () => 0, spans: () => 0 } });
  const losses = { dropped: 0, failed: 0 };
  addExportMetrics(registry, { exporter: losses, logExporter: losses, metricExporter: losses });
  return metrics;
}

/** Names of all series, those of histograms by their suffixes. */
export function offeredSeries(): ReadonlySet<string> {
  using metrics = createOfferedMetrics();
  const types = [...metrics.read(undefined).text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}
