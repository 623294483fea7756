import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { InMemoryQuotaLedger } from "#kit/quota/in-memory-quota-ledger.ts";
import type { QuotaLedger } from "#kit/quota/quota-ledger.ts";
import { InMemoryRunQuota } from "#kit/runs/stream/in-memory-run-quota.ts";
import type { RunQuota } from "#kit/runs/stream/run-quota.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import { WatchedFile } from "../security/watched-file.ts";
import { createQuotaMetrics } from "./quota-metrics.ts";
import type { QuotaRules } from "./quota-rules.ts";
import type { quotaConfigSchema } from "./quota-settings.ts";
import { Quotas } from "./quotas.ts";

export interface QuotasContext {
  readonly config: ConfigOf<typeof quotaConfigSchema>;
  /** Of all processes; absent where this one is the whole server. */
  readonly ledger: QuotaLedger | undefined;
  /** Absent there too. */
  readonly runQuota: RunQuota | undefined;
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
  clock,
  ids,
  logger,
  registry,
}: QuotasContext): Promise<Quotas | undefined> {
  if (config.QUOTAS_FILE === "") return undefined;
  // Loaded only by servers that have quotas.
  const [yaml, { readPricesFile, readQuotaRules }] = await Promise.all([
    import("yaml"),
    import("./read-quota-rules.ts"),
  ]);
  const open = <Content>(setting: "QUOTAS_FILE" | "PRICES_FILE", parse: (text: string) => Content) =>
    new WatchedFile({ path: config[setting], setting, parse, clock, logger });
  const rulesFile = open("QUOTAS_FILE", (text) => readQuotaRules(yaml, text));
  const pricesFile = config.PRICES_FILE === "" ? undefined : open("PRICES_FILE", (text) => readPricesFile(yaml, text));
  return new Quotas({
    rules: withPrices(
      () => rulesFile.content,
      () => pricesFile?.content,
    ),
    ledger: ledger ?? new InMemoryQuotaLedger({ clock }),
    runQuota: runQuota ?? new InMemoryRunQuota({ clock }),
    ids,
    logger,
    observer: createQuotaMetrics(registry),
  });
}

/** The rules with the prices of their own file, if there is one: the same object while neither file changes. */
function withPrices(rules: () => QuotaRules, prices: () => QuotaRules["prices"] | undefined): () => QuotaRules {
  let known: { readonly of: QuotaRules; readonly merged: QuotaRules } | undefined;
  return () => {
    const [current, table] = [rules(), prices()];
    if (table === undefined) return current;
    if (known?.of !== current || known.merged.prices !== table)
      known = { of: current, merged: { ...current, prices: table } };
    return known.merged;
  };
}
