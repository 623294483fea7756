import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import type { QuotaCount, QuotaState } from "#ports/quota/quota-ledger.ts";
import { nameIn, QUOTA_LIMITS, type QuotaLimit, type QuotaScope, type QuotaSubject } from "./quota-limits.ts";
import { limitOf, type QuotaRules } from "./quota-rules.ts";

/** A limit of a subject, and the count to which it applies. */
export interface AppliedLimit extends QuotaCount {
  readonly scope: QuotaScope;
  readonly limit: QuotaLimit;
}

/** A limit and what has been used of it. */
export interface QuotaUse {
  readonly applied: AppliedLimit;
  readonly state: QuotaState;
}

interface LimitQuestion {
  readonly subject: QuotaSubject;
  readonly limits: readonly QuotaLimit[];
  readonly scopes: readonly QuotaScope[];
}

/** The most limits that are cached; all are dropped when there are more. */
const MAX_KNOWN = 10_000;

/** Finds the limits of subjects. Rules may have many patterns, so the limits of a name are cached. */
export class LimitFinder {
  #rules: QuotaRules | undefined;
  readonly #known = new Map<string, AppliedLimit | undefined>();

  /** The limits of these kinds that the subject has, the narrowest scope first. */
  find(rules: QuotaRules, { subject, limits, scopes }: LimitQuestion): readonly AppliedLimit[] {
    if (this.#rules !== rules || this.#known.size > MAX_KNOWN) this.#known.clear();
    this.#rules = rules;
    const found: AppliedLimit[] = [];
    for (const scope of scopes) {
      const name = nameIn(scope, subject);
      if (name === undefined) continue;
      for (const limit of limits) {
        const applied = this.#of(rules, { scope, limit, name, subject });
        if (applied !== undefined) found.push(applied);
      }
    }
    return found;
  }

  #of(
    rules: QuotaRules,
    { name, ...wanted }: Pick<AppliedLimit, "scope" | "limit" | "name"> & { readonly subject: QuotaSubject },
  ): AppliedLimit | undefined {
    const { scope, limit, subject } = wanted;
    // Names have no control characters.
    const key = `${limit}\n${scope}\n${subject.tenantId ?? ""}\n${name}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const max = limitOf(rules, wanted);
    const applied =
      max === undefined
        ? undefined
        : { scope, limit, max, name: `${limit}:${scope}:${name}`, window: QUOTA_LIMITS[limit].window };
    this.#known.set(key, applied);
    return applied;
  }
}

/** The subject's tenant as the counts need it. */
export function tenantScope({ tenantId }: TenantScoped): TenantScoped {
  return inTenant(tenantId);
}
