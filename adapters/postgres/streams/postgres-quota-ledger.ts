import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type {
  QuotaAnswer,
  QuotaCount,
  QuotaReservation,
  QuotaSpending,
  QuotaState,
} from "#ports/quota/quota-ledger.ts";
import { type KeptReservations, type SharedQuotaCounts, SharedQuotaLedger } from "#ports/quota/shared-quota-ledger.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import type { PostgresQuotaOptions } from "./postgres-run-quota.ts";
import { digestOf } from "./stream-names.ts";

/** Counts what quotas limit in Postgres. Used amounts survive a crash of the server, and reservations are made again. */
export class PostgresQuotaLedger extends SharedQuotaLedger {
  readonly #registration: Disposable;

  constructor({ database, signals, logger = silentLogger }: PostgresQuotaOptions) {
    super({ counts: new PostgresQuotaCounts(database), logger });
    this.#registration = signals.add({ receive: () => {}, hear: (isHearing) => isHearing && this.retry() });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#registration[Symbol.dispose]();
    await super[Symbol.asyncDispose]();
  }
}

class PostgresQuotaCounts implements SharedQuotaCounts {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async take(spending: QuotaSpending, { id, leaseMs }: Pick<QuotaReservation, "id" | "leaseMs">): Promise<QuotaAnswer> {
    const { charges } = spending;
    const values = [
      ...[tenantOf(spending), digestOf(id), leaseMs, ...columnsOf(charges)],
      ...[charges.map(({ max }) => max), charges.map(({ amount }) => amount)],
    ];
    const text = "SELECT array_to_string(fairlead.take_quota($1, $2, $3, $4, $5, $6, $7), ',') AS answer";
    // A repeated reservation is taken once; amounts that are spent are counted at each repetition.
    const rows = await (leaseMs > 0
      ? this.#database.read<{ readonly answer: string }>(text, values)
      : this.#database.write<{ readonly answer: string }>(text, values));
    const [position = 0, onlyReserved, ...numbers] = (rows[0]?.answer ?? "").split(",").map(Number);
    const states = charges.map((_, index) => {
      const [used = 0, reserved = 0, resetMs = 0] = numbers.slice(3 * index);
      return { used, reserved, resetMs };
    });
    if (position === 0) return { kind: "taken", states };
    return { kind: "refused", index: position - 1, isReserved: onlyReserved === 1, states };
  }

  async settle(reservation: QuotaReservation, amounts: readonly number[]): Promise<void> {
    const { charges, id } = reservation;
    const used = charges.map((_, index) => amounts[index] ?? 0);
    await this.#database.read("SELECT fairlead.settle_quota($1, $2, $3, $4, $5)", [
      ...[tenantOf(reservation), digestOf(id), ...columnsOf(charges), used],
    ]);
  }

  async keep(reservations: KeptReservations): Promise<void> {
    const [first] = reservations;
    const rows = reservations.flatMap(({ id, charges }) => charges.map((charge) => ({ ...charge, id: digestOf(id) })));
    await this.#database.read("SELECT fairlead.keep_quota($1, $2, $3, $4, $5, $6)", [
      ...[tenantOf(first), first.leaseMs, rows.map(({ id }) => id), ...columnsOf(rows)],
      rows.map(({ amount }) => amount),
    ]);
  }

  async read({
    counts,
    ...tenant
  }: TenantScoped & { readonly counts: readonly QuotaCount[] }): Promise<readonly QuotaState[]> {
    return this.#database.read<QuotaState>(
      `SELECT state.used, state.reserved, greatest(state.ends - moment.now, 0) AS "resetMs"
       FROM (SELECT fairlead.now_ms() AS now) AS moment,
         unnest($2::text[], $3::text[]) WITH ORDINALITY AS given(name, duration, number),
         fairlead.quota_state($1, given.name, given.duration, moment.now) AS state
       ORDER BY given.number`,
      [tenantOf(tenant), ...columnsOf(counts)],
    );
  }
}

/** The names, whose digests are stored, and the windows. */
function columnsOf(counts: readonly QuotaCount[]): readonly [readonly string[], readonly string[]] {
  return [counts.map(({ name }) => digestOf(name)), counts.map(({ window }) => window)];
}
