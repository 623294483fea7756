import { createHash } from "node:crypto";
import { textOf } from "#kit/events/content.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryEntry, MemoryScope, MemoryService, SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Session } from "#kit/sessions/session.ts";
import { type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";
import { mergeRanks } from "#ports/memory/meaning.ts";
import {
  assertMemoryScope,
  MAX_MEMORIES,
  type MemoryRecord,
  memoryItem,
  NO_SESSION,
  oldEntry,
  recordOfEntry,
  recordsOfSession,
  scopeOfOld,
  searchWordsOf,
  withinAnswer,
} from "#ports/memory/memory-records.ts";
import { MAX_OPENED_ENTRIES, memoryPlace, searchOpened } from "#ports/memory/opened-entries.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount, StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import { type PlacedItem, readDataPage } from "#ports/tenants/data-pages.ts";
import {
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
  oldPage,
  oldRange,
} from "#ports/tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { Parameters } from "./database/parameters.ts";
import type { PostgresDatabase, RunStatement } from "./database/postgres-database.ts";
import { storeUnavailable } from "./database/postgres-errors.ts";
import { type EmbeddedColumns, type FoundRow, MemoryMeaning, NOT_EMBEDDED } from "./memory-meaning.ts";
import { type CountedRow, PostgresStorageCounts } from "./postgres-storage-counts.ts";

export interface PostgresMemoryServiceOptions {
  readonly database: PostgresDatabase;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Entries are also found by meaning. Those added before it was set are found by words only. */
  readonly embedder?: Embedder | undefined;
  readonly logger?: Logger | undefined;
  /** Encrypts entries; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

interface EntryRow {
  readonly row_id: number;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string;
  /** JSON. */
  readonly id: string;
  readonly time_ms: number;
  readonly json: string;
}

interface DeletedRow extends CountedRow {
  readonly app_name: string;
  readonly user_id: string;
}

const ENTRY = {
  digest: "text",
  id: "text",
  time_ms: "double precision",
  words: "text",
  embedding: "text",
  embedded_by: "text",
  json: "text",
} as const;
const PAGE_SIZE = 50;
const IS_OWNED = "tenant_id = $1 AND ($2::text IS NULL OR user_id = $2)";
const IN_SCOPES = "JOIN fairlead.memory_scopes AS scope USING (scope_id)";
const DELETED = "octet_length(old.json) AS bytes, old.counted_in";
const SEARCH = `
  SELECT row_id, json FROM (
    SELECT row_id, time_ms, id, session_id,
      (SELECT count(*) FROM unnest(words) AS word WHERE word = ANY($1::text[])) AS found
    FROM fairlead.memory_entries WHERE words && $1::text[]
    ORDER BY found DESC, time_ms DESC, id, session_id LIMIT ${MAX_MEMORIES}
  ) AS best JOIN fairlead.memory_entries USING (row_id)
  ORDER BY best.found DESC, best.time_ms DESC, best.id, best.session_id`;

/**
 * Memory in Postgres, found by the words that the kit finds, as in all stores: an index of arrays has them. With an
 * embedder, entries of close meaning are found too, and both lists are merged. Encrypted entries have neither words nor
 * embeddings: a search then opens the user's newest 1,000 entries.
 */
export class PostgresMemoryService implements MemoryService, MeteredStore, TenantData, OldData {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #sealer: ContentSealer;
  readonly #meaning: MemoryMeaning | undefined;
  readonly #counts: PostgresStorageCounts;

  constructor({ database, clock, ids, sealer, storage, embedder, logger }: PostgresMemoryServiceOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#ids = ids;
    this.#sealer = sealer ?? plainContent;
    const isSearchable = embedder !== undefined && !this.#sealer.isSealing;
    this.#meaning = isSearchable ? new MemoryMeaning(database, embedder, logger) : undefined;
    this.#counts = new PostgresStorageCounts({ database, kind: "memory", limits: storage });
  }

  async addSessionToMemory(session: Session): Promise<void> {
    assertMemoryScope(session);
    assertIdentifier("sessionId", session.id);
    const rows = await this.#rowsOf(session, session.id, recordsOfSession(session));
    await this.#write(session, async (run, scopeId) => {
      const deleted = await deleteSession(run, scopeId, session.id);
      await addRows(run, { scopeId, sessionId: session.id, countedIn: this.#counts.countedIn }, rows);
      return { deleted, added: rows };
    });
  }

  async addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    assertMemoryScope(scope);
    const timeMs = this.#clock.now();
    const records = entries.map((entry) => recordOfEntry(entry, { id: this.#ids.next(), timeMs }));
    if (records.length === 0) return;
    const rows = await this.#rowsOf(scope, NO_SESSION, records);
    await this.#write(scope, async (run, scopeId) => {
      const deleted = await run<CountedRow>(
        `DELETE FROM fairlead.memory_entries AS old
         WHERE scope_id = $1 AND session_id = $2 AND digest = ANY($3::text[]) RETURNING ${DELETED}`,
        [scopeId, NO_SESSION, rows.map(({ digest }) => digest)],
      );
      await addRows(run, { scopeId, sessionId: NO_SESSION, countedIn: this.#counts.countedIn }, rows);
      return { deleted, added: rows };
    });
  }

  async searchMemory(scope: MemoryScope, query: string): Promise<SearchMemoryResponse> {
    assertMemoryScope(scope);
    const words = searchWordsOf(query);
    const scopeId = words.length === 0 && this.#meaning === undefined ? undefined : await this.#findScope(scope);
    if (scopeId === undefined) return { memories: [] };
    if (this.#sealer.isSealing) return { memories: await this.#searchNewest(scope, scopeId, words) };
    const scoped = words.map((word) => scopedWord(scopeId, word));
    const [byWords, byMeaning] = await Promise.all([
      scoped.length === 0 ? [] : this.#database.read<FoundRow>(SEARCH, [scoped]),
      this.#meaning?.search(scopeId, query) ?? [],
    ]);
    const texts = new Map([...byWords, ...byMeaning].map(({ row_id, json }) => [row_id, json]));
    const best = mergeRanks(byWords.map(rowId), byMeaning.map(rowId)).slice(0, MAX_MEMORIES);
    // Written by `#rowsOf` from an entry.
    return { memories: withinAnswer(best.map((id) => JSON.parse(texts.get(id) ?? "") as MemoryEntry)) };
  }

  async deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void> {
    assertMemoryScope(scope);
    assertIdentifier("sessionId", sessionId);
    if ((await this.#findScope(scope)) === undefined) return;
    await this.#write(scope, async (run, scopeId) => {
      return { deleted: await deleteSession(run, scopeId, sessionId), added: [] };
    });
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#counts.readStored(counts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#items(request, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const { tenantId, userId, limit } = request;
    const owner = [tenantId, userId ?? null];
    const deleted = await this.#database.transaction(async (run) => {
      const rows = await run<DeletedRow>(
        `DELETE FROM fairlead.memory_entries AS old USING fairlead.memory_scopes AS scope
         WHERE old.row_id IN (SELECT row_id FROM fairlead.memory_entries ${IN_SCOPES} WHERE ${IS_OWNED} LIMIT $3)
           AND scope.scope_id = old.scope_id RETURNING ${DELETED}, scope.app_name, scope.user_id`,
        [...owner, limit],
      );
      const byOwner = Map.groupBy(rows, ({ app_name, user_id }) => JSON.stringify([app_name, user_id]));
      for (const own of byOwner.values()) {
        const [{ app_name: appName, user_id } = { app_name: "", user_id: "" }] = own;
        const of = { ...inTenant(tenantId), appName, userId: user_id };
        await this.#counts.change(run, of, { deleted: own, added: [] });
      }
      if (rows.length < limit) await run(`DELETE FROM fairlead.memory_scopes WHERE ${IS_OWNED}`, owner);
      return rows.length;
    });
    const isDone = (deleted ?? 0) < limit;
    if (isDone) await this.#counts.forget(request);
    return { deleted: deleted ?? 0, isDone };
  }

  /** In the order of the entries' numbers: an index by time would be written by each addition. */
  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { limit, after } = oldRange(request);
    const rows = await this.#database.read<EntryRow & { readonly tenant_id: string }>(
      `SELECT row_id, tenant_id, app_name, user_id, session_id, id, time_ms FROM fairlead.memory_entries ${IN_SCOPES}
       WHERE row_id > $1 ORDER BY row_id LIMIT $2`,
      [Number(after?.[0] ?? 0), limit],
    );
    const items = rows.map((row) => {
      const scope = { tenantId: row.tenant_id, appName: row.app_name, userId: row.user_id };
      return oldEntry(scope, { sessionId: row.session_id, id: idOf(row), timeMs: row.time_ms });
    });
    const last = rows.length < limit ? undefined : rows.at(-1);
    return oldPage(request, items, last && [String(last.row_id)]);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    const scope = scopeOfOld(request);
    if ((await this.#findScope(scope)) === undefined) return 0;
    let count = 0;
    await this.#write(scope, async (run, scopeId) => {
      const parameters = new Parameters();
      const given = request.items.map((one) => ({ session: one.sessionId ?? NO_SESSION, digest: digestOf(one.id) }));
      const deleted = await run<CountedRow>(
        `DELETE FROM fairlead.memory_entries AS old
         USING ${parameters.table("given", { session: "text", digest: "text" }, given)}
         WHERE scope_id = ${parameters.add(scopeId)} AND old.session_id = given.session
           AND old.digest = given.digest AND time_ms < ${parameters.add(request.before)} RETURNING ${DELETED}`,
        parameters.values,
      );
      count = deleted.length;
      return { deleted, added: [] };
    });
    return count;
  }

  async *#items(
    { tenantId, userId }: ListDataRequest,
    place: readonly string[] = [],
  ): AsyncGenerator<PlacedItem, void, undefined> {
    for (let after = Number(place[0] ?? 0); ; ) {
      const rows = await this.#database.read<EntryRow>(
        `SELECT row_id, app_name, user_id, session_id, id, json FROM fairlead.memory_entries ${IN_SCOPES}
         WHERE ${IS_OWNED} AND row_id > $3 ORDER BY row_id LIMIT ${PAGE_SIZE}`,
        [tenantId, userId ?? null, after],
      );
      for (const row of rows) {
        const scope = { ...inTenant(tenantId), appName: row.app_name, userId: row.user_id };
        yield { item: memoryItem(scope, row.session_id, this.#open(scope, row)), place: [String(row.row_id)] };
        after = row.row_id;
      }
      if (rows.length < PAGE_SIZE) return;
    }
  }

  async #searchNewest(scope: MemoryScope, scopeId: number, words: readonly string[]): Promise<readonly MemoryEntry[]> {
    const rows = await this.#database.read<EntryRow>(
      `SELECT session_id, id, time_ms, json FROM fairlead.memory_entries
       WHERE scope_id = $1 ORDER BY time_ms DESC, row_id DESC LIMIT ${MAX_OPENED_ENTRIES}`,
      [scopeId],
    );
    const opened = rows.map((row) => {
      const entry = this.#open(scope, row);
      return { entry, timeMs: row.time_ms, id: idOf(row), sessionId: row.session_id };
    });
    return searchOpened(opened, words);
  }

  #open(scope: MemoryScope, row: Pick<EntryRow, "id" | "json" | "session_id">): MemoryEntry {
    const place = memoryPlace(scope, row.session_id, idOf(row));
    // Written by `#rowsOf` from an entry.
    return JSON.parse(this.#sealer.openText(row.json, place)) as MemoryEntry;
  }

  /** The rows of the entries, but for what only their scope determines. Of entries with one id the last one counts. */
  async #rowsOf(scope: MemoryScope, sessionId: string, records: readonly MemoryRecord[]): Promise<readonly NewEntry[]> {
    const embedded = await this.#meaning?.columnsOf(records.map(({ entry }) => textOf(entry.content)));
    const rows = records.map(({ id, timeMs, words, entry }, index) => ({
      ...(embedded?.[index] ?? NOT_EMBEDDED),
      digest: digestOf(id),
      id: JSON.stringify(id),
      time_ms: timeMs,
      words: this.#sealer.isSealing ? [] : [...words],
      json: this.#sealer.sealText(JSON.stringify(entry), memoryPlace(scope, sessionId, id)),
    }));
    return [...new Map(rows.map((row) => [row.digest, row])).values()];
  }

  /** Changes entries of a scope, and what is counted of them, if it has room. */
  async #write(
    scope: MemoryScope,
    change: (run: RunStatement, scopeId: number) => Promise<MemoryChange>,
  ): Promise<void> {
    const { tenantId, appName, userId } = scope;
    const names = [tenantOf(scope), userId, appName];
    const done = await this.#database.transaction(async (run) => {
      await run(
        `INSERT INTO fairlead.memory_scopes (tenant_id, user_id, app_name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        names,
      );
      // Changes of one scope wait for each other: two of them may replace the same entries.
      const [row] = await run<{ readonly scope_id: number }>(
        `UPDATE fairlead.memory_scopes SET user_id = user_id
         WHERE tenant_id = $1 AND user_id = $2 AND app_name = $3 RETURNING scope_id`,
        names,
      );
      if (row === undefined) return undefined;
      const { deleted, added } = await change(run, row.scope_id);
      const sizes = added.map(({ json }) => ({ bytes: Buffer.byteLength(json), counted_in: this.#counts.countedIn }));
      await this.#counts.change(run, { ...inTenant(tenantId), appName, userId }, { deleted, added: sizes });
      return true;
    });
    // A deletion of the owner's data has removed the scope in the same moment.
    if (done === undefined) throw storeUnavailable();
  }

  async #findScope(scope: MemoryScope): Promise<number | undefined> {
    const [row] = await this.#database.read<{ readonly scope_id: number }>(
      "SELECT scope_id FROM fairlead.memory_scopes WHERE tenant_id = $1 AND user_id = $2 AND app_name = $3",
      [tenantOf(scope), scope.userId, scope.appName],
    );
    return row?.scope_id;
  }
}

interface NewEntry extends EmbeddedColumns {
  readonly digest: string;
  /** JSON. */
  readonly id: string;
  readonly time_ms: number;
  readonly words: readonly string[];
  readonly json: string;
}

interface MemoryChange {
  readonly deleted: readonly CountedRow[];
  readonly added: readonly NewEntry[];
}

function deleteSession(run: RunStatement, scopeId: number, sessionId: string): Promise<readonly CountedRow[]> {
  return run(
    `DELETE FROM fairlead.memory_entries AS old WHERE scope_id = $1 AND session_id = $2 RETURNING ${DELETED}`,
    [scopeId, sessionId],
  );
}

async function addRows(
  run: RunStatement,
  {
    scopeId,
    sessionId,
    countedIn,
  }: { readonly scopeId: number; readonly sessionId: string; readonly countedIn: string },
  rows: readonly NewEntry[],
): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new Parameters();
  const [scope, session, counted] = [scopeId, sessionId, countedIn].map((value) => parameters.add(value));
  // Words have no spaces.
  const given = rows.map((row) => ({ ...row, words: row.words.map((word) => scopedWord(scopeId, word)).join(" ") }));
  await run(
    `INSERT INTO fairlead.memory_entries (scope_id, session_id, digest, id, time_ms, words, embedding,
       embedded_by, counted_in, json)
     SELECT ${scope}::bigint, ${session}::text, digest, id, time_ms, string_to_array(words, ' '), embedding::real[],
       embedded_by, ${counted}::text, json
     FROM ${parameters.table("given", ENTRY, given)}`,
    parameters.values,
  );
}

function rowId({ row_id }: FoundRow): number {
  return row_id;
}

function scopedWord(scopeId: number, word: string): string {
  return `${scopeId}:${word}`;
}

function digestOf(id: string): string {
  return createHash("sha256").update(JSON.stringify(id)).digest("base64url");
}

function idOf({ id }: Pick<EntryRow, "id">): string {
  // Written by `#rowsOf` from a string.
  return JSON.parse(id) as string;
}
