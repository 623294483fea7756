import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { WatchedFile } from "../security/watched-file.ts";
import type { QuotaRules } from "./quota-rules.ts";
import type { quotaConfigSchema } from "./quota-settings.ts";

type QuotaConfig = ConfigOf<typeof quotaConfigSchema>;

export interface QuotaRulesContext {
  readonly config: Pick<QuotaConfig, "QUOTAS_FILE"> & Partial<QuotaConfig>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The current content of the files that the settings name; undefined without QUOTAS_FILE. Throws `CONFIGURATION` if a file
 * cannot be used at the start.
 */
export async function openQuotaRules({
  config,
  clock,
  logger,
}: QuotaRulesContext): Promise<(() => QuotaRules) | undefined> {
  const { QUOTAS_FILE, PRICES_FILE = "" } = config;
  if (QUOTAS_FILE === "") return undefined;
  // Loaded only by servers that have quotas.
  const [yaml, { readPricesFile, readQuotaRules }] = await Promise.all([
    import("yaml"),
    import("./read-quota-rules.ts"),
  ]);
  const open = <Content>(path: string, setting: keyof QuotaConfig, parse: (text: string) => Content) =>
    new WatchedFile({ path, setting, parse, clock, logger });
  const rulesFile = open(QUOTAS_FILE, "QUOTAS_FILE", (text) => readQuotaRules(yaml, text));
  if (PRICES_FILE === "") return () => rulesFile.content;
  const pricesFile = open(PRICES_FILE, "PRICES_FILE", (text) => readPricesFile(yaml, text));
  return withPrices(
    () => rulesFile.content,
    () => pricesFile.content,
  );
}

/** The rules with the prices of their own file: the same object while neither file changes. */
function withPrices(rules: () => QuotaRules, prices: () => QuotaRules["prices"]): () => QuotaRules {
  let known: { readonly of: QuotaRules; readonly merged: QuotaRules } | undefined;
  return () => {
    const [current, table] = [rules(), prices()];
    if (known?.of !== current || known.merged.prices !== table)
      known = { of: current, merged: { ...current, prices: table } };
    return known.merged;
  };
}
