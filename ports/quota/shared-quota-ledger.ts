import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type {
  QuotaAnswer,
  QuotaCount,
  QuotaLedger,
  QuotaReservation,
  QuotaSpending,
  QuotaState,
} from "./quota-ledger.ts";

/** Reservations of one tenant and one lease. */
export type KeptReservations = readonly [QuotaReservation, ...QuotaReservation[]];

/** The counts of all processes in a database that all of them reach. Each call is one atomic step. */
export interface SharedQuotaCounts {
  /** Reserves the amounts under the id if there is a lease, else counts them as used. */
  take(spending: QuotaSpending, reserved: Pick<QuotaReservation, "id" | "leaseMs">): Promise<QuotaAnswer>;
  /** Ends the reservation and counts the amounts as used. A repeated call counts nothing. */
  settle(reservation: QuotaReservation, amounts: readonly number[]): Promise<void>;
  /** Renews the leases, also of reservations that the database has lost. */
  keep(reservations: KeptReservations): Promise<void>;
  read(counts: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]>;
}

export interface SharedQuotaLedgerOptions {
  readonly counts: SharedQuotaCounts;
  readonly logger: Logger;
}

interface Settlement {
  readonly reservation: QuotaReservation;
  readonly amounts: readonly number[];
}

/** Settlements that wait for the database; beyond these, the oldest is dropped. */
const MAX_WAITING_SETTLEMENTS = 10_000;
/** Reservations that one call renews. */
const MAX_KEPT_TOGETHER = 200;

/**
 * Counts in a database. A reservation has a lease, which its process renews each third of it; the reservation of a lost
 * process ends with its lease.
 */
export class SharedQuotaLedger implements QuotaLedger, AsyncDisposable {
  readonly #counts: SharedQuotaCounts;
  readonly #logger: Logger;
  readonly #held = new Map<string, QuotaReservation>();
  /** Settlements that failed, by the ids of their reservations; that of the latest attempt is last. */
  readonly #waiting = new Map<string, Settlement>();
  readonly #settling = new Set<Promise<boolean>>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ counts, logger }: SharedQuotaLedgerOptions) {
    this.#counts = counts;
    this.#logger = logger;
  }

  /** Called when the database can be reached again. */
  retry(): void {
    this.#settleWaiting();
    this.#keepAll();
  }

  async spend(spending: QuotaSpending): Promise<QuotaAnswer> {
    return this.#take(spending, { id: "", leaseMs: 0 });
  }

  async reserve(reservation: QuotaReservation): Promise<QuotaAnswer> {
    const answer = await this.#take(reservation, reservation);
    if (answer.kind === "taken") {
      this.#held.set(reservation.id, reservation);
      this.#start(reservation);
    }
    return answer;
  }

  settle(reservation: QuotaReservation, amounts: readonly number[]): void {
    this.#held.delete(reservation.id);
    this.#stopIfIdle();
    void this.#attempt({ reservation, amounts });
  }

  async read(asked: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]> {
    return asked.counts.length === 0 ? [] : this.#counts.read(asked);
  }

  /**
   * Settlements in progress are finished, and those that wait are tried once more. The caller settles its reservations
   * before.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await Promise.all(this.#settling);
    this.#settleWaiting();
    await Promise.all(this.#settling);
    this.#stop();
    const { size: settlements } = this.#waiting;
    if (settlements > 0) this.#logger.warn({ settlements }, "what calls have used was not counted and is lost");
  }

  async #take(spending: QuotaSpending, reserved: Pick<QuotaReservation, "id" | "leaseMs">): Promise<QuotaAnswer> {
    return spending.charges.length === 0 ? { kind: "taken", states: [] } : this.#counts.take(spending, reserved);
  }

  /** Whether the database has counted the settlement; otherwise it waits for a later attempt. */
  #attempt(settlement: Settlement): Promise<boolean> {
    const { id } = settlement.reservation;
    this.#waiting.delete(id);
    const settling = this.#settle(settlement)
      .then(
        () => {
          this.#stopIfIdle();
          return true;
        },
        (error: unknown) => {
          this.#logger.debug({ error }, "a reservation of a quota was not settled; it is settled later");
          this.#waiting.set(id, settlement);
          const [oldest] = this.#waiting.keys();
          if (this.#waiting.size > MAX_WAITING_SETTLEMENTS && oldest !== undefined) this.#waiting.delete(oldest);
          this.#start(settlement.reservation);
          return false;
        },
      )
      .finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
    return settling;
  }

  #settleWaiting(): void {
    for (const settlement of [...this.#waiting.values()]) void this.#attempt(settlement);
  }

  /**
   * Tries one waiting settlement, and all others only if the database has counted it, so that a failing one gets no burst of
   * calls.
   */
  async #tryWaiting(): Promise<void> {
    const [next] = this.#waiting.values();
    if (next !== undefined && (await this.#attempt(next))) this.#settleWaiting();
  }

  async #settle({ reservation, amounts }: Settlement): Promise<void> {
    if (reservation.charges.length > 0) await this.#counts.settle(reservation, amounts);
  }

  #keepAll(): void {
    for (const batch of keepBatches(this.#held.values()))
      this.#counts
        .keep(batch)
        .catch((error: unknown) => this.#logger.debug({ error }, "reservations of a quota were not renewed"));
  }

  /** The database can refuse a settlement without a lost connection, and no `retry` follows then: the timer tries again. */
  #start({ leaseMs }: QuotaReservation): void {
    this.#timer ??= setInterval(() => {
      void this.#tryWaiting();
      this.#keepAll();
    }, leaseMs / 3).unref();
  }

  #stopIfIdle(): void {
    if (this.#held.size + this.#waiting.size === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Reservations of one tenant and one lease, at most 200 together: the database does nothing else for the tenant meanwhile. */
function keepBatches(held: Iterable<QuotaReservation>): readonly KeptReservations[] {
  const batches: [QuotaReservation, ...QuotaReservation[]][] = [];
  const open = new Map<string, [QuotaReservation, ...QuotaReservation[]]>();
  for (const reservation of held) {
    const key = `${tenantOf(reservation)} ${reservation.leaseMs}`;
    const batch = open.get(key);
    if (batch !== undefined && batch.length < MAX_KEPT_TOGETHER) batch.push(reservation);
    else {
      const next: [QuotaReservation] = [reservation];
      batches.push(next);
      open.set(key, next);
    }
  }
  return batches;
}
