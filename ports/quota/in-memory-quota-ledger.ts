import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import {
  hasRoom,
  MAX_QUOTA_AMOUNT,
  type QuotaAnswer,
  type QuotaCharge,
  type QuotaCount,
  type QuotaLedger,
  type QuotaReservation,
  type QuotaSpending,
  type QuotaState,
} from "./quota-ledger.ts";
import { windowAt } from "./quota-window.ts";

interface Counted {
  endMs: number;
  used: number;
  reserved: number;
}

/** Counts that have ended are removed when there are this many, and then each time their number has doubled. */
const FIRST_SWEEP = 10_000;

/** Counts for one process. Reservations are lost with the process, so their leases have no effect. */
export class InMemoryQuotaLedger implements QuotaLedger {
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();
  readonly #reservations = new Set<string>();
  #sweepAt = FIRST_SWEEP;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** How many counts are in memory. */
  get size(): number {
    return this.#counted.size;
  }

  async spend(spending: QuotaSpending): Promise<QuotaAnswer> {
    const refusal = this.#refusal(spending);
    if (refusal !== undefined) return refusal;
    for (const charge of spending.charges) this.#use(spending, charge, charge.amount);
    return { kind: "taken", states: this.#states(spending, spending.charges) };
  }

  async reserve(reservation: QuotaReservation): Promise<QuotaAnswer> {
    if (!this.#reservations.has(reservation.id)) {
      const refusal = this.#refusal(reservation);
      if (refusal !== undefined) return refusal;
      this.#reservations.add(reservation.id);
      for (const charge of reservation.charges) this.#of(reservation, charge).reserved += charge.amount;
    }
    return { kind: "taken", states: this.#states(reservation, reservation.charges) };
  }

  settle(reservation: QuotaReservation, amounts: readonly number[]): void {
    if (!this.#reservations.delete(reservation.id)) return;
    for (const [index, charge] of reservation.charges.entries()) {
      this.#of(reservation, charge).reserved -= charge.amount;
      this.#use(reservation, charge, amounts[index] ?? 0);
    }
  }

  async read({
    counts,
    ...tenant
  }: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]> {
    return this.#states(tenant, counts);
  }

  #refusal(spending: QuotaSpending): QuotaAnswer | undefined {
    const { charges } = spending;
    const states = this.#states(spending, charges);
    const index = charges.findIndex((charge, at) => !hasRoom(charge, states[at] ?? EMPTY));
    const refused = charges[index];
    if (refused === undefined) return undefined;
    const isReserved = hasRoom(refused, { ...(states[index] ?? EMPTY), reserved: 0 });
    return { kind: "refused", index, isReserved, states };
  }

  #states(tenant: TenantScoped, counts: readonly QuotaCount[]): readonly QuotaState[] {
    const now = this.#clock.now();
    return counts.map((count) => {
      const { used, reserved } = this.#find(tenant, count) ?? EMPTY;
      const { endMs } = windowAt(count.window, now);
      return { used, reserved, resetMs: count.window === "now" ? 0 : endMs - now };
    });
  }

  #use(tenant: TenantScoped, charge: QuotaCharge, amount: number): void {
    // Nothing is spent in a window of `now`: only reservations count.
    if (charge.window === "now") return;
    const counted = this.#of(tenant, charge);
    counted.used = Math.min(counted.used + amount, MAX_QUOTA_AMOUNT);
  }

  /** The count in the window of this moment; undefined if it has nothing. */
  #find(tenant: TenantScoped, count: QuotaCount): Counted | undefined {
    const counted = this.#counted.get(keyOf(tenant, count));
    if (counted === undefined) return counted;
    const { endMs } = windowAt(count.window, this.#clock.now());
    // A later window begins with nothing used. If the clock was set back to an earlier window, the used amount still
    // counts.
    if (endMs > counted.endMs) counted.used = 0;
    counted.endMs = endMs;
    return counted;
  }

  #of(tenant: TenantScoped, count: QuotaCount): Counted {
    const known = this.#find(tenant, count);
    if (known !== undefined) return known;
    if (this.#counted.size >= this.#sweepAt) this.#sweep();
    const counted = { used: 0, reserved: 0, endMs: windowAt(count.window, this.#clock.now()).endMs };
    this.#counted.set(keyOf(tenant, count), counted);
    return counted;
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [key, { endMs, used, reserved }] of this.#counted)
      if (reserved === 0 && (used === 0 || now >= endMs)) this.#counted.delete(key);
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#counted.size);
  }
}

const EMPTY: QuotaState = { used: 0, reserved: 0, resetMs: 0 };

/** Tenants have no control characters, and windows are part of the name, so that no two counts share a key. */
function keyOf(tenant: TenantScoped, { name, window }: QuotaCount): string {
  return `${tenantOf(tenant)}\n${window}\n${name}`;
}
