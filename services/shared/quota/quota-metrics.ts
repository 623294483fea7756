import { createValue, type MetricRegistry, resolveOnce } from "../metrics/metric-registry.ts";
import type { AppliedLimit } from "./applied-limit.ts";

/** Observes decisions about quotas. */
export interface QuotaObserver {
  refused(limit: Pick<AppliedLimit, "scope" | "limit">): void;
  /** The counts could not be read. */
  unavailable(kind: "requests" | "budgets"): void;
}

/** Metrics of refusals by limit and scope: names of keys, users, apps and tenants are not labels. */
export function createQuotaMetrics(registry: MetricRegistry): QuotaObserver {
  const refusals = createValue("counter", {
    name: "fairlead_quota_refusals_total",
    help: "Requests, streams, runs and model calls that a quota refused, by limit and by whose quota it is.",
    labelNames: ["limit", "scope"],
    registry,
  });
  const outages = createValue("counter", {
    name: "fairlead_quota_unavailable_total",
    help: "Decisions for which the counts of quotas could not be read, by what they were about.",
    labelNames: ["kind"],
    registry,
  });
  const refused = resolveOnce((limit) => resolveOnce((scope) => refusals({ limit, scope })));
  const unavailable = resolveOnce((kind) => outages({ kind }));
  return {
    refused: ({ limit, scope }) => refused(limit)(scope).add(1),
    unavailable: (kind) => unavailable(kind).add(1),
  };
}
