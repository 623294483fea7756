import * as yaml from "yaml";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import type { QuotaLedger } from "#ports/quota/quota-ledger.ts";
import { InMemoryRunQuota } from "#ports/runs/in-memory-run-quota.ts";
import type { QuotaObserver } from "#shared/quota/quota-metrics.ts";
import { Quotas } from "#shared/quota/quotas.ts";
import { readQuotaRules } from "#shared/quota/read-quota-rules.ts";

interface QuotasOfOptions {
  readonly clock?: Clock;
  readonly ledger?: QuotaLedger;
  /** Unique over all that share the ledger. */
  readonly ids?: IdGenerator;
  readonly observer?: QuotaObserver;
}

/** The quotas of this text of QUOTAS_FILE, counted in memory unless a ledger is given. */
export function quotasOf(text: string, options: QuotasOfOptions = {}): Quotas {
  const rules = readQuotaRules(yaml, text);
  const {
    clock = new FixedClock(),
    ledger = new InMemoryQuotaLedger({ clock }),
    observer,
    ids = new SequentialIds("quota"),
  } = options;
  return new Quotas({
    rules: () => rules,
    ledger,
    runQuota: new InMemoryRunQuota({ clock }),
    ids,
    logger: silentLogger,
    observer,
  });
}
