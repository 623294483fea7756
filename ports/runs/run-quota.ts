import type { TenantScoped } from "#kit/names/tenant.ts";

/** The limit of active runs that are counted under one name. */
export interface RunLimit {
  /** Unique within the tenant: what is counted, such as the runs of one app. */
  readonly name: string;
  readonly max: number;
}

/** The place of one active run. */
export interface RunPlace extends TenantScoped {
  /** The place's id; used once. */
  readonly id: string;
  /**
   * The run is counted under each name. The narrowest first: a run that waits for its user's limit does not keep others
   * from the app's.
   */
  readonly limits: readonly RunLimit[];
  /** The place is kept until it is left; the place of a lost process ends after this time. */
  readonly leaseMs: number;
}

/**
 * `taken`: the place is kept until it is left. `isSure` is false while places may be missing in the count, as after a
 * loss of the counts: the caller then has to check elsewhere too. `full`: the first limit that is reached.
 */
export type RunQuotaAnswer =
  | { readonly kind: "taken"; readonly isSure: boolean }
  | { readonly kind: "full"; readonly limit: RunLimit };

/** Counts the active runs of all processes, so that limits hold for the whole platform. */
export interface RunQuota {
  /**
   * Takes a place in one atomic step. A caller that `waits` asks again until it has one: a caller that does not wait
   * gets no place before those that have asked within the last two seconds. Throws `STORE_UNAVAILABLE` if the counts
   * cannot be read.
   */
  take(place: RunPlace, options: { readonly waits: boolean }): Promise<RunQuotaAnswer>;
  /** Counts the place as soon as possible, even over the limit: its run was admitted elsewhere. Never throws. */
  hold(place: RunPlace): void;
  /** Leaves a place. Never throws. */
  leave(place: RunPlace): void;
  /** How many runs are active under each of these names. Throws `STORE_UNAVAILABLE`. */
  count(names: TenantScoped & { readonly names: readonly string[] }): Promise<readonly number[]>;
}

/** How long a waiting caller that does not ask again keeps its position in the queue. */
export const RUN_QUOTA_QUEUE_MS = 2000;
