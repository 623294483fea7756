import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuotaAnswer } from "#ports/runs/run-quota.ts";
import { type SharedRunPlaces, SharedRunQuota } from "#ports/runs/shared-run-quota.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import type { PostgresSignals } from "./signals.ts";
import { digestOf } from "./stream-names.ts";

export interface PostgresQuotaOptions {
  /** The caller closes both. */
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
  readonly logger?: Logger | undefined;
}

/** Counts the runs of all processes in Postgres. */
export class PostgresRunQuota extends SharedRunQuota {
  readonly #registration: Disposable;

  constructor({ database, signals, logger = silentLogger }: PostgresQuotaOptions) {
    super({ places: new PostgresRunPlaces(database), logger });
    this.#registration = signals.add({ receive: () => {}, hear: (isHearing) => isHearing && this.retry() });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#registration[Symbol.dispose]();
    await super[Symbol.asyncDispose]();
  }
}

class PostgresRunPlaces implements SharedRunPlaces {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async take(place: RunPlace, { waits }: { readonly waits: boolean }): Promise<RunQuotaAnswer> {
    const { id, leaseMs, limits } = place;
    // Every process renews its places each third of a lease.
    const settleMs = Math.ceil((leaseMs * 2) / 3);
    const most = limits.map(({ max }) => max);
    // Taking a place twice takes it once.
    const [row] = await this.#database.read<{ readonly answer: number }>(
      "SELECT fairlead.take_place($1, $2, $3, $4, $5, $6, $7, $8) AS answer",
      [tenantOf(place), id, leaseMs, waits, RUN_QUOTA_QUEUE_MS, settleMs, namesOf(place), most],
    );
    const answer = row?.answer ?? 0;
    const full = limits[answer - 1];
    if (full !== undefined) return { kind: "full", limit: full };
    return { kind: "taken", isSure: answer === 0 };
  }

  async keep(place: RunPlace, ids: readonly string[]): Promise<void> {
    const values = [tenantOf(place), place.leaseMs, namesOf(place), ids];
    await this.#database.read("SELECT fairlead.keep_places($1, $2, $3, $4)", values);
  }

  async remove(place: RunPlace): Promise<void> {
    await this.#database.read("SELECT fairlead.leave_place($1, $2, $3)", [tenantOf(place), place.id, namesOf(place)]);
  }

  async count({ names, ...tenant }: TenantScoped & { readonly names: readonly string[] }): Promise<readonly number[]> {
    const rows = await this.#database.read<{ readonly count: number }>(
      `SELECT (SELECT count(*) FROM fairlead.run_places AS place
         WHERE place.tenant_id = $1 AND place.name = given.name AND place.expires > fairlead.now_ms()) AS count
       FROM unnest($2::text[]) WITH ORDINALITY AS given(name, number) ORDER BY given.number`,
      [tenantOf(tenant), names.map(digestOf)],
    );
    return rows.map(({ count }) => count);
  }
}

function namesOf({ limits }: RunPlace): readonly string[] {
  return limits.map(({ name }) => digestOf(name));
}
