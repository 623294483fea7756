import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import { matchesText } from "#kit/platform/file-paths.ts";

/** The kinds of data that have a time to live, each with the member of the file that sets it. */
export const RETAINED = {
  sessions: "sessionDays",
  runs: "runDays",
  artifacts: "artifactDays",
  memory: "memoryDays",
  results: "resultDays",
} as const;
export type RetainedKind = keyof typeof RETAINED;

// The members of a const object are its keys.
export const RETAINED_KINDS = Object.keys(RETAINED) as readonly RetainedKind[];

/**
 * The shortest time of each kind, in days. A quarter of an hour for most: a run in progress protects its session, but a
 * client between two messages does not. Requests are repeated for a day, and find their run by the key in its record.
 */
export const MIN_DAYS: Readonly<Record<RetainedKind, number>> = {
  sessions: 0.01,
  runs: 1,
  artifacts: 0.01,
  memory: 0.01,
  results: 0.01,
};
export const MAX_DAYS = 36_500;

/** Times to live in milliseconds. Infinity keeps the data for ever. */
export type TimesToLive = Readonly<Partial<Record<RetainedKind, number>>>;

/** The times to live of some apps or tenants, before the defaults. */
export interface RetentionOverride {
  /** Its only tenant; all if absent. */
  readonly tenantId?: string | undefined;
  /** The name of an app, or a pattern with `*`; all if absent. */
  readonly appName?: string | undefined;
  readonly times: TimesToLive;
}

/** The content of the operator's file. */
export interface RetentionRules {
  readonly defaults: TimesToLive;
  /** Of several that fit, the first one that has a time of the kind decides it. */
  readonly overrides: readonly RetentionOverride[];
}

/** How long data of the kind is kept for an app of a tenant; Infinity if the rules name no time. */
export function timeToLive(
  { defaults, overrides }: RetentionRules,
  kind: RetainedKind,
  owner: TenantScoped & { readonly appName: string },
): number {
  const override = overrides.find(
    ({ tenantId, appName, times }) =>
      times[kind] !== undefined &&
      (tenantId === undefined || tenantId === tenantOf(owner)) &&
      (appName === undefined || appName === owner.appName || matchesText(appName, owner.appName)),
  );
  return override?.times[kind] ?? defaults[kind] ?? Number.POSITIVE_INFINITY;
}

/** The shortest time that the rules name for the kind; Infinity if nothing of it is ever deleted. */
export function shortestTime({ defaults, overrides }: RetentionRules, kind: RetainedKind): number {
  const times = [defaults, ...overrides.map((override) => override.times)];
  return Math.min(...times.map((each) => each[kind] ?? Number.POSITIVE_INFINITY));
}
