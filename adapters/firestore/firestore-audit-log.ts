import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { type ChainHead, emptyChain, type SealedRecord } from "#ports/audit/audit-chain.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import type { AuditLine } from "#ports/audit/verify-chain.ts";
import type { DocumentWrite, FirestoreDatabase, StoredDocument } from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { toWireValue } from "./database/firestore-values.ts";

export interface FirestoreAuditLogOptions {
  readonly database: FirestoreDatabase;
  /** The collection of all of this platform's data. */
  readonly root: string;
  /** The id of a new chain: two writers never share one. */
  readonly chain: string;
  readonly clock: Clock;
}

const MAX_WRITES = 200;
/** A document accepts about one change a second, so the head of the chain is written no more often. */
const HEAD_INTERVAL_MS = 1000;
const PAGE_SIZE = 500;

/** Records as documents `{root}/audit/chains/{chain}/records/{seq}`, which are created and never changed. */
export class FirestoreAuditLog implements AuditLog {
  readonly found = [];
  readonly #options: FirestoreAuditLogOptions;
  #head: ChainHead;
  #storedHead: ChainHead;
  #headAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FirestoreAuditLogOptions) {
    this.#options = options;
    this.#head = emptyChain(options.chain);
    this.#storedHead = this.#head;
  }

  get head(): ChainHead {
    return this.#head;
  }

  async append(records: readonly SealedRecord[]): Promise<void> {
    for (let start = 0; start < records.length; start += MAX_WRITES) {
      const part = records.slice(start, start + MAX_WRITES).filter(({ seq }) => seq > this.#head.seq);
      const last = part.at(-1);
      if (last === undefined) continue;
      const now = this.#options.clock.monotonic();
      const isHeadDue = now - this.#headAtMs >= HEAD_INTERVAL_MS;
      await this.#commit(
        [...part.map((record) => this.#creation(record)), ...(isHeadDue ? [this.#headWrite(last)] : [])],
        last,
      );
      this.#head = last;
      if (!isHeadDue) continue;
      this.#storedHead = last;
      this.#headAtMs = now;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#storedHead.seq < this.#head.seq) await this.#options.database.commit([this.#headWrite(this.#head)]);
  }

  /** A commit whose answer was lost may have stored the records: then they are found as they are. */
  async #commit(writes: readonly DocumentWrite[], last: SealedRecord): Promise<void> {
    const { database } = this.#options;
    try {
      await database.commit(writes);
    } catch (error) {
      if (!(error instanceof LostPreconditionError)) throw error;
      const path = this.#pathOf(last);
      const stored = (await database.read([path])).get(path);
      if (stored?.fields[LINE] === last.line) return;
      throw new PlatformError("STORE_UNAVAILABLE", "The audit log has another record in this place.", { cause: error });
    }
  }

  #creation(record: SealedRecord): DocumentWrite {
    return { kind: "create", path: this.#pathOf(record), fields: { [SEQ]: record.seq, [LINE]: record.line } };
  }

  #headWrite({ chain, seq, sha256 }: ChainHead): DocumentWrite {
    const path = `${chainsPath(this.#options.root)}/${chain}`;
    return {
      kind: "update",
      path,
      fields: { [CHAIN]: chain, [SEQ]: seq, [SHA256]: sha256 },
      mask: [CHAIN, SEQ, SHA256],
    };
  }

  #pathOf({ chain, seq }: ChainHead): string {
    return `${chainsPath(this.#options.root)}/${chain}/${RECORDS}/${String(seq).padStart(12, "0")}`;
  }
}

const RECORDS = "records";
const [CHAIN, SEQ, SHA256, LINE] = ["chain", "seq", "sha256", "line"];

/** The lines of all chains, one chain after the other, and the records that they must have. */
export async function openFirestoreAudit(
  database: FirestoreDatabase,
  root: string,
): Promise<{ readonly lines: AsyncIterable<AuditLine>; readonly heads: readonly ChainHead[] }> {
  const documents = await database.query({ parent: `${root}/audit`, collection: "chains" });
  const heads = documents.map(toHead);
  return { lines: readChains(database, root, heads), heads };
}

async function* readChains(
  database: FirestoreDatabase,
  root: string,
  heads: readonly ChainHead[],
): AsyncIterable<AuditLine> {
  for (const { chain } of heads) {
    const parent = `${chainsPath(root)}/${chain}`;
    for (let last = 0; ; ) {
      const page: readonly StoredDocument[] = await database.query({
        parent,
        collection: RECORDS,
        orderBy: [[SEQ, "ASCENDING"]],
        startAfter: [toWireValue(last)],
        limit: PAGE_SIZE,
      });
      for (const { fields, path } of page) {
        last = Number(fields[SEQ]);
        yield { text: String(fields[LINE]), place: path };
      }
      if (page.length < PAGE_SIZE) break;
    }
  }
}

function toHead({ fields }: StoredDocument): ChainHead {
  return { chain: String(fields[CHAIN]), seq: Number(fields[SEQ]), sha256: String(fields[SHA256]) };
}

function chainsPath(root: string): string {
  return `${root}/audit/chains`;
}
