import { tenantOf } from "#kit/names/tenant.ts";
import { matchesText } from "#kit/platform/file-paths.ts";
import type { PriceTable } from "./prices.ts";
import { nameIn, type QuotaLimit, type QuotaScope, type QuotaSubject } from "./quota-limits.ts";

/** Limits by name. Infinity lifts a limit; money is in millionths of a USD. */
export type LimitValues = Readonly<Partial<Record<QuotaLimit, number>>>;

/** Limits of some names of a scope, before the defaults. */
export interface QuotaOverride {
  readonly scope: QuotaScope;
  /** A name, or a pattern with `*`; of the scope `tenant` the empty name. */
  readonly name: string;
  /** The only tenant in which it counts; all if absent. */
  readonly tenantId?: string;
  readonly limits: LimitValues;
}

/** The content of the operator's files. */
export interface QuotaRules {
  readonly defaults: Readonly<Partial<Record<QuotaScope, LimitValues>>>;
  /** Of several that fit a name, the first one that has a limit decides it. */
  readonly overrides: readonly QuotaOverride[];
  readonly prices: PriceTable;
  /** How many tokens of output are reserved for a call whose request has no limit. */
  readonly reservedOutputTokens: number;
  readonly unpricedModels: "free" | "refuse";
  /** What happens while the counts cannot be read. */
  readonly whenUnavailable: { readonly requests: "allow" | "refuse"; readonly budgets: "allow" | "refuse" };
}

/** The limit of the subject in the scope; undefined if there is none. */
export function limitOf(
  rules: QuotaRules,
  { scope, limit, subject }: { readonly scope: QuotaScope; readonly limit: QuotaLimit; readonly subject: QuotaSubject },
): number | undefined {
  const name = nameIn(scope, subject);
  if (name === undefined) return undefined;
  const override = rules.overrides.find(
    ({ limits, tenantId, ...whom }) =>
      limits[limit] !== undefined &&
      whom.scope === scope &&
      (tenantId === undefined || tenantId === tenantOf(subject)) &&
      (whom.name === name || matchesText(whom.name, name)),
  );
  const max = override?.limits[limit] ?? rules.defaults[scope]?.[limit];
  return max === Number.POSITIVE_INFINITY ? undefined : max;
}

/** Whether the rules name one of these limits for any name, also to lift it. */
export function hasAny({ defaults, overrides }: QuotaRules, limits: readonly QuotaLimit[]): boolean {
  const values = [...Object.values(defaults), ...overrides.map((override) => override.limits)];
  return values.some((value) => limits.some((limit) => value[limit] !== undefined));
}
