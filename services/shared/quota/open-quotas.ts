import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { QuotaLedger } from "#ports/quota/quota-ledger.ts";
import type { RunQuota } from "#ports/runs/run-quota.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import { openQuotaRules } from "./open-quota-rules.ts";
import type { quotaConfigSchema } from "./quota-settings.ts";
import type { Quotas } from "./quotas.ts";
import type { StorageReaders } from "./stored-limits.ts";

export interface QuotasContext {
  readonly config: ConfigOf<typeof quotaConfigSchema>;
  /** The counts of all processes; absent where this process is the whole server. */
  readonly ledger: QuotaLedger | undefined;
  /** Counts the active runs of all processes; also absent where this process is the whole server. */
  readonly runQuota: RunQuota | undefined;
  /** Absent in processes that do not report usage. */
  readonly storage?: StorageReaders | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly registry: MetricRegistry;
}

/** The quotas that the settings name; undefined without any. Throws `CONFIGURATION` if a file cannot be used at the start. */
export async function openQuotas({
  config,
  ledger,
  runQuota,
  storage,
  clock,
  ids,
  logger,
  registry,
}: QuotasContext): Promise<Quotas | undefined> {
  const rules = await openQuotaRules({ config, clock, logger });
  if (rules === undefined) return undefined;
  // Loaded only by servers that have quotas.
  const [{ InMemoryQuotaLedger }, { InMemoryRunQuota }, { createQuotaMetrics }, { Quotas: RuleQuotas }] =
    await Promise.all([
      import("#ports/quota/in-memory-quota-ledger.ts"),
      import("#ports/runs/in-memory-run-quota.ts"),
      import("./quota-metrics.ts"),
      import("./quotas.ts"),
    ]);
  return new RuleQuotas({
    rules,
    ledger: ledger ?? new InMemoryQuotaLedger({ clock }),
    runQuota: runQuota ?? new InMemoryRunQuota({ clock }),
    storage,
    ids,
    logger,
    observer: createQuotaMetrics(registry),
  });
}
