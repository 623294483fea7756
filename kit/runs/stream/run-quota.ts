/** Whose runs are counted, and how many may be under way at once; 0 for no limit. */
export interface RunQuotaLimits {
  readonly appName: string;
  readonly userId: string;
  readonly maxOfApp: number;
  /** Of the user in this app. */
  readonly maxOfUser: number;
}

/** A place for one run among those that are under way. */
export interface RunPlace extends RunQuotaLimits {
  /** Names the place; taken once. */
  readonly id: string;
  /** The place is kept until it is left; that of a lost process goes after this long. */
  readonly leaseMs: number;
}

/**
 * `taken`: the place is kept until it is left. `isSure` is false while places may be missing in the count, as after a
 * loss of what was counted: then somebody else has to be asked too. `full`: the limit that is reached.
 */
export type RunQuotaAnswer =
  | { readonly kind: "taken"; readonly isSure: boolean }
  | { readonly kind: "full"; readonly of: "app" | "user" };

/** Counts the runs that are under way in all processes, so that limits on them hold for the platform. */
export interface RunQuota {
  /**
   * Takes a place in one atomic step. A caller that `waits` comes again until it has one: whoever does not wait gets
   * none before those who have come within the last two seconds. Throws `STORE_UNAVAILABLE` when nobody can tell.
   */
  take(place: RunPlace, options: { readonly waits: boolean }): Promise<RunQuotaAnswer>;
  /**
   * Has the place counted as soon as that is possible, full or not: its run was admitted by somebody else. Never
   * throws.
   */
  hold(place: RunPlace): void;
  /** Leaves a place. Never throws. */
  leave(place: RunPlace): void;
}

/** For so long a place in line is kept for who does not come again. */
export const RUN_QUOTA_LINE_MS = 2000;
