import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { utcMonthStart } from "#kit/platform/iso-time.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type {
  QuotaAnswer,
  QuotaCount,
  QuotaReservation,
  QuotaSpending,
  QuotaState,
} from "#ports/quota/quota-ledger.ts";
import { FIXED_WINDOW_MS, type QuotaWindow } from "#ports/quota/quota-window.ts";
import { type KeptReservations, type SharedQuotaCounts, SharedQuotaLedger } from "#ports/quota/shared-quota-ledger.ts";
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

/**
 * Counts in Redis. All keys of a tenant are in one slot of a cluster, because one script uses several counts.
 */
export class RedisQuotaLedger extends SharedQuotaLedger {
  readonly #redis: RedisClient;
  readonly #counts: RedisQuotaCounts;
  readonly #onReady = (): void => this.retry();

  constructor(options: RedisQuotaLedgerOptions) {
    const counts = new RedisQuotaCounts(options);
    super({ counts, logger: options.logger ?? silentLogger });
    this.#redis = options.redis;
    this.#counts = counts;
    options.redis.on("ready", this.#onReady);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#redis.off("ready", this.#onReady);
    await super[Symbol.asyncDispose]();
    this.#counts.dispose();
  }
}

class RedisQuotaCounts implements SharedQuotaCounts {
  readonly #redis: RedisClient;
  readonly #clock: Clock;
  readonly #guard: RedisGuard;
  readonly #prefix: string;

  constructor({ redis, clock, keyPrefix = DEFAULT_KEY_PREFIX, observer }: RedisQuotaLedgerOptions) {
    this.#redis = redis;
    this.#clock = clock;
    this.#guard = new RedisGuard(redis, observer);
    this.#prefix = checkKeyPrefix(keyPrefix);
  }

  async take(spending: QuotaSpending, reserved: Pick<QuotaReservation, "id" | "leaseMs">): Promise<QuotaAnswer> {
    const { charges } = spending;
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

  async settle(reservation: QuotaReservation, amounts: readonly number[]): Promise<void> {
    const { charges } = reservation;
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

  async keep([first, ...others]: KeptReservations): Promise<void> {
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

  async read({
    counts,
    ...tenant
  }: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]> {
    const states = await this.#guard.run("read-quota", () =>
      READ_QUOTA_SCRIPT.run(this.#redis, this.#keys(tenant, counts), [
        ...this.#common({ id: "", leaseMs: 0 }),
        ...counts.map(({ window }) => lengthOf(window)),
      ]),
    );
    return toStates(textsOf(states));
  }

  dispose(): void {
    this.#guard.dispose();
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
