import {
  STORAGE_LIMIT_NAMES,
  STORAGE_SCOPES,
  type StorageLimitName,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
} from "#kit/storage/storage-limits.ts";
import { LimitFinder } from "./applied-limit.ts";
import { openQuotaRules, type QuotaRulesContext } from "./open-quota-rules.ts";
import type { LimitValues, QuotaRules } from "./quota-rules.ts";

/** The limits of stored data in the file of QUOTAS_FILE; undefined without the file. */
export async function openStorageLimits(context: QuotaRulesContext): Promise<StorageLimits | undefined> {
  const rules = await openQuotaRules(context);
  return rules && new RulesStorageLimits(rules);
}

/** The limits of stored data in the operator's file, as it is at the moment of each call. */
export class RulesStorageLimits implements StorageLimits {
  readonly #rules: () => QuotaRules;
  readonly #finder = new LimitFinder();
  #known: { readonly rules: QuotaRules; readonly counted: readonly StorageScope[] } | undefined;

  constructor(rules: () => QuotaRules) {
    this.#rules = rules;
  }

  get counted(): readonly StorageScope[] {
    const rules = this.#rules();
    if (this.#known?.rules !== rules)
      this.#known = { rules, counted: STORAGE_SCOPES.filter((scope) => hasLimit(rules, scope)) };
    return this.#known.counted;
  }

  maxOf(limit: StorageLimitName, scope: StorageScope, owner: StorageOwner): number | undefined {
    return this.#finder.find(this.#rules(), { subject: owner, limits: [limit], scopes: [scope] })[0]?.max;
  }
}

function hasLimit({ defaults, overrides }: QuotaRules, scope: StorageScope): boolean {
  const values = overrides.filter((override) => override.scope === scope).map(({ limits }) => limits);
  return [defaults[scope], ...values].some((limits = {}) => hasAnyOf(limits));
}

/** A limit that is only lifted counts nothing. */
function hasAnyOf(limits: LimitValues): boolean {
  return STORAGE_LIMIT_NAMES.some((limit) => Number.isFinite(limits[limit]));
}
