import {
  SESSION_LIMIT_NAMES,
  STORAGE_SCOPES,
  type StorageLimitName,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
} from "#ports/storage-limits/storage-limits.ts";
import { LimitFinder } from "./applied-limit.ts";
import { openQuotaRules, type QuotaRulesContext } from "./open-quota-rules.ts";
import type { LimitValues, QuotaRules } from "./quota-rules.ts";

/** These limits of stored data in the file of QUOTAS_FILE; undefined without the file. Those of sessions by default. */
export async function openStorageLimits(
  context: QuotaRulesContext,
  names: readonly StorageLimitName[] = SESSION_LIMIT_NAMES,
): Promise<StorageLimits | undefined> {
  const rules = await openQuotaRules(context);
  return rules && new RulesStorageLimits(rules, names);
}

/** The limits of stored data in the operator's file, as it is at the moment of each call. */
export class RulesStorageLimits implements StorageLimits {
  readonly #rules: () => QuotaRules;
  readonly #names: readonly StorageLimitName[];
  readonly #finder = new LimitFinder();
  #known: { readonly rules: QuotaRules; readonly counted: readonly StorageScope[] } | undefined;

  constructor(rules: () => QuotaRules, names: readonly StorageLimitName[]) {
    this.#rules = rules;
    this.#names = names;
  }

  get counted(): readonly StorageScope[] {
    const rules = this.#rules();
    if (this.#known?.rules !== rules)
      this.#known = { rules, counted: STORAGE_SCOPES.filter((scope) => hasLimit(rules, scope, this.#names)) };
    return this.#known.counted;
  }

  maxOf(limit: StorageLimitName, scope: StorageScope, owner: StorageOwner): number | undefined {
    return this.#finder.find(this.#rules(), { subject: owner, limits: [limit], scopes: [scope] })[0]?.max;
  }
}

function hasLimit(
  { defaults, overrides }: QuotaRules,
  scope: StorageScope,
  names: readonly StorageLimitName[],
): boolean {
  const values = overrides.filter((override) => override.scope === scope).map(({ limits }) => limits);
  return [defaults[scope], ...values].some((limits = {}) => hasAnyOf(limits, names));
}

/** `unlimited` is not a limit, so nothing has to be counted for it. */
function hasAnyOf(limits: LimitValues, names: readonly StorageLimitName[]): boolean {
  return names.some((limit) => Number.isFinite(limits[limit]));
}
