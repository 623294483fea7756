import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { utcMonthStart } from "#kit/platform/iso-time.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type {
  QuotaAnswer,
  QuotaCount,
  QuotaLedger,
  QuotaReservation,
  QuotaSpending,
  QuotaState,
} from "#ports/quota/quota-ledger.ts";
import { FIXED_WINDOW_MS, type QuotaWindow } from "#ports/quota/quota-window.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX, tenantPrefix } from "./run-keys.ts";
import {
  KEEP_QUOTA_SCRIPT,
  READ_QUOTA_SCRIPT,
  SETTLE_QUOTA_SCRIPT,
  TAKE_QUOTA_SCRIPT,
} from "./scripts/quota-ledger-scripts.ts";

export interface RedisQuotaLedgerOptions {
  /** The caller closes it. */
  readonly redis: RedisClient;
  /** Determines the months that are passed to the scripts. All other times are those of the clock of Redis. */
  readonly clock: Clock;
  /** The release's prefix of every key; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly observer?: RedisObserver | undefined;
}

interface Settlement {
  readonly reservation: QuotaReservation;
  readonly amounts: readonly number[];
}

/** Settlements that wait for Redis; beyond these, the oldest is dropped. */
const MAX_WAITING_SETTLEMENTS = 10_000;
/** Reservations that one call renews. */
const MAX_KEPT_TOGETHER = 200;

/**
 * Counts in Redis. A reservation has a lease, which its process renews each third of it; that of a lost process ends with
 * its lease. All keys of a tenant are in one slot of a cluster, because one script uses several counts.
 */
export class RedisQuotaLedger implements QuotaLedger, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #clock: Clock;
  readonly #guard: RedisGuard;
  readonly #prefix: string;
  readonly #logger: Logger;
  readonly #held = new Map<string, QuotaReservation>();
  /** Settlements that failed, by the ids of their reservations; that of the latest attempt is last. */
  readonly #waiting = new Map<string, Settlement>();
  readonly #settling = new Set<Promise<boolean>>();
  readonly #onReady = (): void => {
    this.#settleWaiting();
    this.#keepAll();
  };
  #timer: NodeJS.Timeout | undefined;

  constructor({
    redis,
    clock,
    keyPrefix = DEFAULT_KEY_PREFIX,
    logger = silentLogger,
    observer,
  }: RedisQuotaLedgerOptions) {
    this.#redis = redis;
    this.#clock = clock;
    this.#guard = new RedisGuard(redis, observer);
    this.#prefix = checkKeyPrefix(keyPrefix);
    this.#logger = logger;
    redis.on("ready", this.#onReady);
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

  async read({
    counts,
    ...tenant
  }: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]> {
    if (counts.length === 0) return [];
    const states = await this.#guard.run("read-quota", () =>
      READ_QUOTA_SCRIPT.run(this.#redis, this.#keys(tenant, counts), [
        ...this.#common({ id: "", leaseMs: 0 }),
        ...counts.map(({ window }) => lengthOf(window)),
      ]),
    );
    return toStates(textsOf(states));
  }

  /**
   * Settlements in progress are finished, and those that wait are tried once more. The caller settles its reservations
   * before.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    this.#redis.off("ready", this.#onReady);
    await Promise.all(this.#settling);
    this.#settleWaiting();
    await Promise.all(this.#settling);
    this.#stop();
    const { size: settlements } = this.#waiting;
    if (settlements > 0)
      this.#logger.warn({ settlements }, "what calls have used was not counted in Redis and is lost");
    this.#guard.dispose();
  }

  async #take(spending: QuotaSpending, reserved: Pick<QuotaReservation, "id" | "leaseMs">): Promise<QuotaAnswer> {
    const { charges } = spending;
    if (charges.length === 0) return { kind: "taken", states: [] };
    const found = await this.#guard.run("take-quota", () =>
      TAKE_QUOTA_SCRIPT.run(this.#redis, this.#keys(spending, charges), [
        ...this.#common(reserved),
        ...charges.flatMap(({ window, max, amount }) => [lengthOf(window), max, amount]),
      ]),
    );
    const [kind, position, onlyReserved, ...rest] = textsOf(found);
    const states = toStates(rest);
    if (kind === "taken") return { kind, states };
    return { kind: "refused", index: Number(position) - 1, isReserved: onlyReserved === "1", states };
  }

  /** Whether Redis has counted the settlement; otherwise it waits for a later attempt. */
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
   * Tries one waiting settlement, and all others only if Redis has counted it, so that a failing Redis gets no burst of
   * calls.
   */
  async #tryWaiting(): Promise<void> {
    const [next] = this.#waiting.values();
    if (next !== undefined && (await this.#attempt(next))) this.#settleWaiting();
  }

  async #settle({ reservation, amounts }: Settlement): Promise<void> {
    const { charges } = reservation;
    if (charges.length === 0) return;
    const mark = `${this.#base(reservation)}:settled:${reservation.id}`;
    await this.#guard.run("settle-quota", () =>
      SETTLE_QUOTA_SCRIPT.run(
        this.#redis,
        [mark, ...this.#keys(reservation, charges)],
        [
          ...this.#common(reservation),
          ...charges.flatMap(({ window, amount }, index) => [lengthOf(window), amount, amounts[index] ?? 0]),
        ],
      ),
    );
  }

  #keepAll(): void {
    for (const batch of keepBatches(this.#held.values()))
      this.#keep(batch).catch((error: unknown) =>
        this.#logger.debug({ error }, "reservations of a quota were not renewed"),
      );
  }

  async #keep([first, ...others]: KeepBatch): Promise<void> {
    const reservations = [first, ...others];
    await this.#guard.run("keep-quota", () =>
      KEEP_QUOTA_SCRIPT.run(
        this.#redis,
        reservations.flatMap((reservation) => this.#keys(reservation, reservation.charges)),
        [
          ...this.#common({ id: "", leaseMs: first.leaseMs }),
          ...reservations.flatMap(({ id, charges }) =>
            charges.flatMap(({ window, amount }) => [lengthOf(window), amount, id]),
          ),
        ],
      ),
    );
  }

  /** Redis can refuse a settlement without a lost connection, after which no `ready` follows: the timer tries again. */
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

  #common({ id, leaseMs }: Pick<QuotaReservation, "id" | "leaseMs">): (string | number)[] {
    const now = this.#clock.now();
    return [leaseMs, id, ...[-1, 0, 1, 2].map((offset) => utcMonthStart(now, offset))];
  }

  #keys(tenant: TenantScoped, counts: readonly QuotaCount[]): string[] {
    const base = this.#base(tenant);
    return counts.flatMap(({ name, window }) => {
      const count = `${base}:${window}:${encodeURIComponent(name.toWellFormed())}`;
      return [count, `${count}:open`];
    });
  }

  #base(tenant: TenantScoped): string {
    return `${tenantPrefix(this.#prefix, tenantOf(tenant))}:{usage:${tenantOf(tenant)}}`;
  }
}

type KeepBatch = readonly [QuotaReservation, ...QuotaReservation[]];

/** Reservations of one tenant and one lease, at most 200 together: Redis executes nothing else during a script. */
function keepBatches(held: Iterable<QuotaReservation>): readonly KeepBatch[] {
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

/** The length of a window in ms, in the form that the scripts expect. */
function lengthOf(window: QuotaWindow): number {
  if (window === "now") return 0;
  return window === "month" ? -1 : FIXED_WINDOW_MS[window];
}

function textsOf(answer: unknown): readonly string[] {
  return Array.isArray(answer) ? answer.map(String) : [];
}

function toStates(texts: readonly string[]): readonly QuotaState[] {
  const states: QuotaState[] = [];
  for (let at = 0; at + 2 < texts.length; at += 3)
    states.push({ used: Number(texts[at]), reserved: Number(texts[at + 1]), resetMs: Number(texts[at + 2]) });
  return states;
}
