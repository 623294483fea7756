import type { TenantScoped } from "#kit/names/tenant.ts";
import type { QuotaWindow } from "./quota-window.ts";

/** The largest limit and the largest sum of a count: sums stay exact whole numbers. */
export const MAX_QUOTA_AMOUNT = 1e15;

/** One count of a tenant. */
export interface QuotaCount {
  /** Unique within the tenant. */
  readonly name: string;
  readonly window: QuotaWindow;
  /** A whole number from 0 to `MAX_QUOTA_AMOUNT`. */
  readonly max: number;
}

/** An amount for one count: a whole number from 0 to `MAX_QUOTA_AMOUNT`. */
export interface QuotaCharge extends QuotaCount {
  readonly amount: number;
}

/** Amounts of one tenant's counts that belong together. */
export interface QuotaSpending extends TenantScoped {
  readonly charges: readonly QuotaCharge[];
}

/** Amounts that are kept free until the real ones are known. */
export interface QuotaReservation extends QuotaSpending {
  /** Used once. */
  readonly id: string;
  /** The reservation is kept until it is settled; that of a lost process ends after this time. */
  readonly leaseMs: number;
}

/** The state of a count. */
export interface QuotaState {
  /** Spent in the current window. */
  readonly used: number;
  /** Reserved at this moment. */
  readonly reserved: number;
  /** Until the window ends; 0 for a window of `now`. */
  readonly resetMs: number;
}

/**
 * `refused`: nothing was counted. `index` is the first charge without room; `isReserved` if only reservations, and
 * not what is used, leave no room for it. The states are in the order of the charges.
 */
export type QuotaAnswer = { readonly states: readonly QuotaState[] } & (
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly index: number; readonly isReserved: boolean }
);

/**
 * Counts amounts of all processes, in windows of time.
 *
 * A charge has room if `used + reserved + amount` is at most `max`. It also has room, however large it is, if nothing is
 * reserved and less than `max` is used: the last of a budget can be spent, and one charge at most exceeds it.
 */
export interface QuotaLedger {
  /** Counts all amounts as used, or none, in one atomic step. Throws `STORE_UNAVAILABLE`. */
  spend(spending: QuotaSpending): Promise<QuotaAnswer>;
  /** Reserves all amounts, or none, in one atomic step. Repeating it is harmless. Throws `STORE_UNAVAILABLE`. */
  reserve(reservation: QuotaReservation): Promise<QuotaAnswer>;
  /**
   * Ends the reservation and counts these amounts as used in the windows of this moment, in the order of its charges;
   * the amounts may be larger than the reserved ones. Never throws: amounts that cannot be counted now are counted later.
   */
  settle(reservation: QuotaReservation, amounts: readonly number[]): void;
  /** The states of these counts, in their order. Throws `STORE_UNAVAILABLE`. */
  read(counts: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]>;
}

/** Whether the amount has room in addition to the used and reserved amounts. */
export function hasRoom({ max, amount }: QuotaCharge, { used, reserved }: QuotaState): boolean {
  return used + reserved + amount <= max || (reserved === 0 && used < max);
}

/** Amounts that end a reservation without having used anything. */
export function nothingOf({ charges }: QuotaSpending): readonly number[] {
  return charges.map(() => 0);
}
