import type { SQLOutputValue } from "node:sqlite";
import type { MemoryEntry, MemoryScope, MemoryService, SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Session } from "#kit/sessions/session.ts";
import { type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";
import {
  assertMemoryScope,
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
import { memoryPlace, type OpenedEntry, searchOpened } from "#ports/memory/opened-entries.ts";
import {
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  sumOf,
} from "#ports/storage-limits/metered-amounts.ts";
import { ProcessStorageMeter, type StoredOfOwner } from "#ports/storage-limits/process-storage-meter.ts";
import type { StorageCount, StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import { type PlacedItem, readDataPageNow } from "#ports/tenants/data-pages.ts";
import {
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldItem,
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
import { eachRow } from "./database/sqlite-database.ts";
import { SqliteFile } from "./database/sqlite-file.ts";
import { WriteQueue } from "./database/write-queue.ts";
import { MEMORY_SCHEMA, prepareMemoryStatements } from "./memory/memory-statements.ts";

export interface SqliteMemoryServiceOptions {
  /** A separate database file, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Encrypts entries; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

interface OwnedRow {
  readonly row_id: number;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly id: string;
  readonly json: string;
}

/**
 * Memory in SQLite's full-text index. Encrypted entries are not in the index: a search then opens the user's newest
 * 1,000 entries.
 */
export class SqliteMemoryService implements MemoryService, MeteredStore, AsyncDisposable, TenantData, OldData {
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #sealer: ContentSealer;
  readonly #queue: WriteQueue;
  readonly #statements: ReturnType<typeof prepareMemoryStatements>;
  readonly #meter: ProcessStorageMeter;

  constructor(options: SqliteMemoryServiceOptions) {
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#sealer = options.sealer ?? plainContent;
    const file = new SqliteFile({ file: options.path, schema: MEMORY_SCHEMA });
    this.#queue = new WriteQueue(file);
    this.#statements = prepareMemoryStatements(file.database);
    this.#meter = new ProcessStorageMeter({
      kind: "memory",
      limits: options.storage,
      load: (tenant) => this.#queue.read(() => this.#storedOf(tenantOf(tenant))),
    });
  }

  async addSessionToMemory(session: Session): Promise<void> {
    assertMemoryScope(session);
    assertIdentifier("sessionId", session.id);
    const records = recordsOfSession(session);
    await this.#write(session, () => {
      const texts = this.#textsOf(session, session.id, records);
      const change = sumOf(sizeOfTexts(texts), negative(this.#sizeOfSession(session, session.id)));
      return {
        change,
        apply: () => {
          this.#removeSession(session, session.id);
          if (texts.length > 0) this.#addAll(session, session.id, texts);
        },
      };
    });
  }

  async addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    assertMemoryScope(scope);
    const timeMs = this.#clock.now();
    const records = entries.map((entry) => recordOfEntry(entry, { id: this.#ids.next(), timeMs }));
    if (records.length === 0) return;
    await this.#write(scope, () => {
      const texts = this.#textsOf(scope, NO_SESSION, records);
      const change = sumOf(sizeOfTexts(texts), negative(this.#sizeOfReplaced(scope, texts)));
      return { change, apply: () => this.#addAll(scope, NO_SESSION, texts) };
    });
  }

  async searchMemory(scope: MemoryScope, query: string): Promise<SearchMemoryResponse> {
    assertMemoryScope(scope);
    const words = searchWordsOf(query);
    return this.#queue.read(() => ({ memories: this.#search(scope, words) }));
  }

  #search(scope: MemoryScope, words: readonly string[]): readonly MemoryEntry[] {
    const scopeId = this.#findScope(scope);
    if (words.length === 0 || scopeId === undefined) return [];
    if (this.#sealer.isSealing) return searchOpened(this.#newest(scope, scopeId), words);
    const queries = words.map((word) => `"${scopeToken(scopeId)}" AND "${wordToken(word)}"`);
    const rows = this.#statements.search.iterate(JSON.stringify(queries));
    // Written by #addAll from a MemoryEntry.
    return withinAnswer(rows.map(({ json }) => JSON.parse(String(json)) as MemoryEntry));
  }

  #newest(scope: MemoryScope, scopeId: number): readonly OpenedEntry[] {
    return this.#statements.newest.all(scopeId).map((row) => {
      const { session_id: sessionId, id } = row;
      const place = memoryPlace(scope, String(sessionId), String(id));
      // Written by #addAll from a MemoryEntry.
      const entry = JSON.parse(this.#sealer.openText(String(row["json"]), place)) as MemoryEntry;
      return { entry, timeMs: Number(row["time_ms"]), id: String(id), sessionId: String(sessionId) };
    });
  }

  async deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void> {
    assertMemoryScope(scope);
    assertIdentifier("sessionId", sessionId);
    await this.#write(scope, () => ({
      change: negative(this.#sizeOfSession(scope, sessionId)),
      apply: () => this.#removeSession(scope, sessionId),
    }));
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return this.#queue.read(() => readDataPageNow(request, (place) => this.#items(request, place)));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const { tenantId, userId, limit } = request;
    const tenant = inTenant(tenantId);
    await this.#meter.ready(tenant);
    const { rows, isDone } = await this.#queue.write(() => {
      const owned = this.#statements.someOwned.all(tenantId, userId ?? null, limit);
      for (const { row_id } of owned) this.#removeRow(Number(row_id));
      if (owned.length === limit) return { rows: owned, isDone: false };
      this.#statements.removeScopes.run(tenantId, userId ?? null);
      return { rows: owned, isDone: true };
    });
    for (const { app_name: appName, user_id: user, bytes } of rows) {
      const owner = { ...tenant, appName: String(appName), userId: String(user) };
      this.#meter.release(owner, { items: 1, bytes: Number(bytes) });
    }
    return { deleted: rows.length, isDone };
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { limit, after } = oldRange(request);
    const rows = await this.#queue.read(() => this.#statements.walk.all(Number(after?.[0] ?? 0), limit));
    const last = rows.length < limit ? undefined : rows.at(-1);
    return oldPage(request, rows.map(toOldItem), last && [String(last["row_id"])]);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    const { items, before } = request;
    const scope = scopeOfOld(request);
    let deleted = 0;
    await this.#write(scope, () => {
      const scopeId = this.#findScope(scope);
      const rows: Row[] = [];
      for (const { sessionId = NO_SESSION, id } of scopeId === undefined ? [] : items)
        rows.push(...this.#statements.findOld.all(scopeId ?? 0, sessionId, id, before));
      deleted = rows.length;
      const apply = (): void => {
        for (const { row_id } of rows) this.#removeRow(Number(row_id));
      };
      return { change: negative(sizeOfRows(rows)), apply };
    });
    return deleted;
  }

  *#items(
    { tenantId, userId }: ListDataRequest,
    place: readonly string[] = [],
  ): Generator<PlacedItem, void, undefined> {
    const rows = eachRow<OwnedRow>(this.#statements.owned, tenantId, userId ?? null, Number(place[0] ?? 0));
    for (const { row_id, app_name: appName, user_id, session_id: sessionId, id, json } of rows) {
      const scope = { ...inTenant(tenantId), appName, userId: user_id };
      // Written by JSON.stringify from an entry.
      const entry = JSON.parse(this.#sealer.openText(json, memoryPlace(scope, sessionId, id))) as MemoryEntry;
      yield { item: memoryItem(scope, sessionId, entry), place: [String(row_id)] };
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]();
  }

  /** Plans a change and makes it, if it has room: a step of the queue that is refused must not have written anything. */
  async #write({ appName, userId, tenantId }: MemoryScope, plan: () => PlannedChange): Promise<void> {
    const owner = { appName, userId, ...inTenant(tenantId) };
    await this.#meter.ready(owner);
    let reserved = NOTHING_METERED;
    const release = (): void => {
      this.#meter.release(owner, reserved);
      reserved = NOTHING_METERED;
    };
    try {
      await this.#queue.write(() => {
        // A step may run again, after its transaction was rolled back.
        release();
        const { change, apply } = plan();
        this.#meter.reserve(owner, change);
        reserved = change;
        apply();
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  #storedOf(tenantId: string): readonly StoredOfOwner[] {
    return this.#statements.stored.all(tenantId).map(({ app_name: appName, user_id: userId, items, bytes }) => {
      return { appName: String(appName), userId: String(userId), items: Number(items), bytes: Number(bytes) };
    });
  }

  /** The texts of the entries. Of entries with the same id the last one counts. */
  #textsOf(scope: MemoryScope, sessionId: string, records: readonly MemoryRecord[]): readonly EntryText[] {
    const texts = new Map<string, EntryText>();
    for (const record of records) {
      const json = this.#sealer.sealText(JSON.stringify(record.entry), memoryPlace(scope, sessionId, record.id));
      texts.delete(record.id);
      texts.set(record.id, { record, json });
    }
    return [...texts.values()];
  }

  #addAll(scope: MemoryScope, sessionId: string, texts: readonly EntryText[]): void {
    const scopeId =
      this.#findScope(scope) ??
      this.#statements.addScope.run(tenantOf(scope), scope.appName, scope.userId).lastInsertRowid;
    const { find, addEntry, addWords } = this.#statements;
    for (const { record, json } of texts) {
      const { id, timeMs, words } = record;
      const existing = find.get(scopeId, sessionId, id)?.["row_id"];
      if (typeof existing === "number") this.#removeRow(existing);
      const rowId = addEntry.run(scopeId, sessionId, id, timeMs, json).lastInsertRowid;
      if (!this.#sealer.isSealing)
        addWords.run(rowId, [scopeToken(scopeId), ...Array.from(words, wordToken)].join(" "));
    }
  }

  #removeSession(scope: MemoryScope, sessionId: string): void {
    for (const { row_id } of this.#rowsOf(scope, sessionId)) this.#removeRow(Number(row_id));
  }

  #sizeOfSession(scope: MemoryScope, sessionId: string): MeteredAmounts {
    return sizeOfRows(this.#meter.isMetering ? this.#rowsOf(scope, sessionId) : []);
  }

  #sizeOfReplaced(scope: MemoryScope, texts: readonly EntryText[]): MeteredAmounts {
    const scopeId = this.#meter.isMetering ? this.#findScope(scope) : undefined;
    if (scopeId === undefined) return NOTHING_METERED;
    const rows = texts.map(({ record }) => this.#statements.find.get(scopeId, NO_SESSION, record.id));
    return sizeOfRows(rows.filter((row) => row !== undefined));
  }

  #rowsOf(scope: MemoryScope, sessionId: string): readonly Row[] {
    const scopeId = this.#findScope(scope);
    return scopeId === undefined ? [] : this.#statements.listSession.all(scopeId, sessionId);
  }

  #removeRow(rowId: number): void {
    this.#statements.removeWords.run(rowId);
    this.#statements.removeEntry.run(rowId);
  }

  #findScope(scope: MemoryScope): number | undefined {
    const id = this.#statements.findScope.get(tenantOf(scope), scope.appName, scope.userId)?.["id"];
    return typeof id === "number" ? id : undefined;
  }
}

type Row = Readonly<Record<string, SQLOutputValue>>;

interface EntryText {
  readonly record: MemoryRecord;
  readonly json: string;
}

interface PlannedChange {
  /** The stored amounts after the change, less those before it. */
  readonly change: MeteredAmounts;
  readonly apply: () => void;
}

function toOldItem(row: Row): OldItem {
  const [tenantId, appName, userId] = [row["tenant_id"], row["app_name"], row["user_id"]].map(String);
  const entry = { sessionId: String(row["session_id"]), id: String(row["id"]), timeMs: Number(row["time_ms"]) };
  return oldEntry({ tenantId, appName: appName ?? "", userId: userId ?? "" }, entry);
}

function sizeOfTexts(texts: readonly EntryText[]): MeteredAmounts {
  return { items: texts.length, bytes: texts.reduce((bytes, { json }) => bytes + Buffer.byteLength(json), 0) };
}

function sizeOfRows(rows: readonly Row[]): MeteredAmounts {
  return { items: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0) };
}

function scopeToken(scopeId: number | bigint): string {
  return `s_${scopeId}`;
}

function wordToken(word: string): string {
  return /^[a-z0-9]+$/.test(word) ? word : `_${Buffer.from(word, "utf8").toString("hex")}`;
}
