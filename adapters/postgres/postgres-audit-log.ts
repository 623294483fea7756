import { PlatformError } from "#kit/errors/platform-error.ts";
import { type ChainHead, emptyChain, type SealedRecord } from "#ports/audit/audit-chain.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import type { AuditLine } from "#ports/audit/verify-chain.ts";
import { Parameters } from "./database/parameters.ts";
import type { PostgresDatabase } from "./database/postgres-database.ts";

export interface PostgresAuditLogOptions {
  readonly database: PostgresDatabase;
  /** The id of a new chain: two writers never share one. */
  readonly chain: string;
}

const MAX_RECORDS = 200;
const PAGE_SIZE = 500;

/** Records as rows, which are added and never changed. The statement that adds them moves the head of their chain. */
export class PostgresAuditLog implements AuditLog {
  readonly found = [];
  readonly #database: PostgresDatabase;
  #head: ChainHead;

  constructor({ database, chain }: PostgresAuditLogOptions) {
    this.#database = database;
    this.#head = emptyChain(chain);
  }

  get head(): ChainHead {
    return this.#head;
  }

  async append(records: readonly SealedRecord[]): Promise<void> {
    for (let start = 0; start < records.length; start += MAX_RECORDS) {
      const part = records.slice(start, start + MAX_RECORDS).filter(({ seq }) => seq > this.#head.seq);
      const last = part.at(-1);
      if (last === undefined) continue;
      await this.#add(part, last);
      this.#head = last;
    }
  }

  /** A statement whose answer was lost can have stored the records: then they are found as they are. */
  async #add(records: readonly SealedRecord[], last: SealedRecord): Promise<void> {
    const parameters = new Parameters();
    const [chain, seq, sha256] = [last.chain, last.seq, last.sha256].map((value) => parameters.add(value));
    const rows = records.map(({ seq: number, line }) => ({ seq: number, line }));
    await this.#database.write(
      `WITH added AS (
         INSERT INTO fairlead.audit_records (chain, seq, line)
         SELECT ${chain}::text, seq, line FROM ${parameters.table("given", { seq: "bigint", line: "text" }, rows)}
         ON CONFLICT DO NOTHING RETURNING seq
       )
       INSERT INTO fairlead.audit_chains AS old (chain, seq, sha256)
       SELECT ${chain}::text, ${seq}::bigint, ${sha256}::text WHERE EXISTS (SELECT FROM added WHERE seq = ${seq}::bigint)
       ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, sha256 = excluded.sha256`,
      parameters.values,
    );
    const [stored] = await this.#database.read<{ readonly line: string }>(
      "SELECT line FROM fairlead.audit_records WHERE chain = $1 AND seq = $2",
      [last.chain, last.seq],
    );
    if (stored?.line === last.line) return;
    throw new PlatformError("STORE_UNAVAILABLE", "The audit log has another record in this place.");
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The lines of all chains, one chain after the other, and the records that they must have. */
export async function openPostgresAudit(
  database: PostgresDatabase,
): Promise<{ readonly lines: AsyncIterable<AuditLine>; readonly heads: readonly ChainHead[] }> {
  const heads = await database.read<ChainHead>("SELECT chain, seq, sha256 FROM fairlead.audit_chains ORDER BY chain");
  return { lines: readChains(database), heads };
}

async function* readChains(database: PostgresDatabase): AsyncIterable<AuditLine> {
  for (let after: readonly [string, number] = ["", 0]; ; ) {
    const rows = await database.read<{ readonly chain: string; readonly seq: number; readonly line: string }>(
      `SELECT chain, seq, line FROM fairlead.audit_records
       WHERE (chain, seq) > ($1, $2) ORDER BY chain, seq LIMIT ${PAGE_SIZE}`,
      after,
    );
    for (const { chain, seq, line } of rows) {
      yield { text: line, place: `${chain}/${seq}` };
      after = [chain, seq];
    }
    if (rows.length < PAGE_SIZE) return;
  }
}
