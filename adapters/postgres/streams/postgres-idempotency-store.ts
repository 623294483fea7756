import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import {
  IDEMPOTENCY_CLAIM_MS,
  IDEMPOTENCY_TTL_MS,
  type IdempotencyRecord,
  type IdempotencyStore,
} from "#ports/idempotency/idempotency-store.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { digestOf } from "./stream-names.ts";

export interface PostgresIdempotencyStoreOptions {
  /** The caller closes it. */
  readonly database: PostgresDatabase;
  /** Ids of claims, so that a repeated claim is recognised. */
  readonly ids?: IdGenerator | undefined;
}

/** The keys of all processes. They survive a crash of the server: what was done is not done again. */
export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #database: PostgresDatabase;
  readonly #ids: IdGenerator;

  constructor({ database, ids = new UuidV7Generator() }: PostgresIdempotencyStoreOptions) {
    this.#database = database;
    this.#ids = ids;
  }

  async claim(key: string, fingerprint: string, tenantId = DEFAULT_TENANT): Promise<IdempotencyRecord | undefined> {
    const [known] = await this.#database.read<{
      readonly known_print: string;
      readonly known_answer: string | null;
      readonly is_done: boolean;
    }>("SELECT known_print, known_answer, is_done FROM fairlead.claim_key($1, $2, $3, $4, $5)", [
      ...[tenantId, digestOf(key), fingerprint, this.#ids.next(), IDEMPOTENCY_CLAIM_MS],
    ]);
    if (known === undefined) return undefined;
    const { known_print, known_answer, is_done } = known;
    return { fingerprint: known_print, ...(known_answer !== null && { answer: known_answer }), isDone: is_done };
  }

  async complete(
    key: string,
    { fingerprint, answer }: Omit<IdempotencyRecord, "isDone">,
    tenantId = DEFAULT_TENANT,
  ): Promise<void> {
    await this.#database.read("SELECT fairlead.complete_key($1, $2, $3, $4, $5)", [
      ...[tenantId, digestOf(key), fingerprint, answer, IDEMPOTENCY_TTL_MS],
    ]);
  }

  async release(key: string, tenantId = DEFAULT_TENANT): Promise<void> {
    await this.#database.read("DELETE FROM fairlead.idempotency_keys WHERE tenant_id = $1 AND key = $2", [
      tenantId,
      digestOf(key),
    ]);
  }
}
