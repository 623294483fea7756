import type { MemoryEntry, MemoryScope, MemoryService, SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Session } from "#kit/sessions/session.ts";
import {
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  sumOf,
} from "#ports/storage-limits/metered-amounts.ts";
import { ProcessStorageMeter } from "#ports/storage-limits/process-storage-meter.ts";
import type { StorageCount, StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner, type DataOwner, isOwned } from "../tenants/data-owner.ts";
import { inOrderOfPlaces, type PlacedItem, readDataPageNow } from "../tenants/data-pages.ts";
import {
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
  oldPage,
  oldRange,
} from "../tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "../tenants/tenant-data.ts";
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
} from "./memory-records.ts";

export interface InMemoryMemoryServiceOptions {
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  /** Limit over all tenants, apps and users; the entries that were added first are dropped. Default 100,000. */
  readonly maxEntries?: number;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

interface StoredEntry extends MemoryRecord {
  readonly scope: Scope;
  /** Empty for entries that belong to no session. */
  readonly sessionId: string;
  /** In the order of additions. */
  readonly number: number;
}

/** The memory of one user of one app. */
interface Scope {
  readonly key: string;
  readonly owner: MemoryScope;
  /** By session id, then by entry id. */
  readonly sessions: Map<string, Map<string, StoredEntry>>;
  readonly byWord: Map<string, Set<StoredEntry>>;
}

/** Memory of one process, for tests and prototypes: an index from words to entries with a bounded number of entries. */
export class InMemoryMemoryService implements MemoryService, MeteredStore, TenantData, OldData {
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #maxEntries: number;
  readonly #scopes = new Map<string, Scope>();
  /** In the order in which they were added. */
  readonly #entries = new Set<StoredEntry>();
  readonly #meter: ProcessStorageMeter;
  #added = 0;

  constructor(options: InMemoryMemoryServiceOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#ids = options.ids ?? new UuidV7Generator();
    this.#maxEntries = options.maxEntries ?? 100_000;
    this.#meter = new ProcessStorageMeter({
      kind: "memory",
      limits: options.storage,
      load: async (tenant) =>
        [...this.#entries]
          .filter(({ scope }) => tenantOf(scope.owner) === tenantOf(tenant))
          .map((stored) => ({ ...stored.scope.owner, ...sizeOf([stored]) })),
    });
  }

  async addSessionToMemory(session: Session): Promise<void> {
    assertMemoryScope(session);
    assertIdentifier("sessionId", session.id);
    const records = recordsOfSession(session);
    await this.#meter.ready(session);
    const before = sizeOf(this.#entriesOf(session, session.id).values());
    this.#meter.reserve(namesOf(session), sumOf(sizeOf(byId(records).values()), negative(before)));
    this.#removeSession(session, session.id);
    for (const record of records) this.#add(session, session.id, record);
  }

  async addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    assertMemoryScope(scope);
    const timeMs = this.#clock.now();
    const records = entries.map((entry) => recordOfEntry(entry, { id: this.#ids.next(), timeMs }));
    await this.#meter.ready(scope);
    const known = this.#entriesOf(scope, NO_SESSION);
    const added = byId(records);
    const replaced = [...added.keys()].flatMap((id) => known.get(id) ?? []);
    this.#meter.reserve(namesOf(scope), sumOf(sizeOf(added.values()), negative(sizeOf(replaced))));
    for (const record of records) this.#add(scope, NO_SESSION, record);
  }

  async searchMemory(memoryScope: MemoryScope, query: string): Promise<SearchMemoryResponse> {
    assertMemoryScope(memoryScope);
    const scope = this.#scopes.get(keyOf(memoryScope));
    const matches = new Map<StoredEntry, number>();
    for (const word of searchWordsOf(query)) {
      for (const stored of scope?.byWord.get(word) ?? []) matches.set(stored, (matches.get(stored) ?? 0) + 1);
    }
    const best = [...matches].sort(compareMatches).slice(0, MAX_MEMORIES);
    return { memories: structuredClone(withinAnswer(best.map(([{ entry }]) => entry))) };
  }

  async deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void> {
    assertMemoryScope(scope);
    assertIdentifier("sessionId", sessionId);
    await this.#meter.ready(scope);
    this.#meter.release(namesOf(scope), sizeOf(this.#entriesOf(scope, sessionId).values()));
    this.#removeSession(scope, sessionId);
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  #entriesOf(scope: MemoryScope, sessionId: string): ReadonlyMap<string, StoredEntry> {
    return this.#scopes.get(keyOf(scope))?.sessions.get(sessionId) ?? new Map();
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    const items = this.#owned(request).map(({ scope, sessionId, id, entry }): PlacedItem => {
      const { appName, userId } = scope.owner;
      const place = [appName, userId, sessionId, id];
      return { item: memoryItem({ appName, userId }, sessionId, structuredClone(entry)), place };
    });
    return readDataPageNow(request, (place) => inOrderOfPlaces(items, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    await this.#meter.ready(inTenant(request.tenantId));
    const entries = this.#owned(request);
    const some = entries.slice(0, request.limit);
    for (const entry of some) {
      this.#meter.release(entry.scope.owner, sizeOf([entry]));
      this.#remove(entry);
    }
    return { deleted: some.length, isDone: some.length === entries.length };
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { limit, after } = oldRange(request);
    const number = Number(after?.[0] ?? 0);
    const page = this.#entries
      .values()
      .filter((entry) => entry.number > number)
      .take(limit)
      .toArray();
    const items = page.map((entry) => oldEntry(entry.scope.owner, entry));
    const last = page.length < limit ? undefined : page.at(-1);
    return oldPage(request, items, last && [String(last.number)]);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    const { items, before } = request;
    const owner = scopeOfOld(request);
    await this.#meter.ready(owner);
    const old = items
      .flatMap(({ sessionId = NO_SESSION, id }) => this.#entriesOf(owner, sessionId).get(id) ?? [])
      .filter(({ timeMs }) => timeMs < before);
    this.#meter.release(owner, sizeOf(old));
    for (const entry of old) this.#remove(entry);
    return old.length;
  }

  #owned(owner: DataOwner): readonly StoredEntry[] {
    return [...this.#entries].filter(({ scope }) => isOwned(owner, scope.owner));
  }

  #add(memoryScope: MemoryScope, sessionId: string, record: MemoryRecord): void {
    const scope = this.#scopeOf(memoryScope);
    const session = scope.sessions.get(sessionId) ?? new Map<string, StoredEntry>();
    const replaced = session.get(record.id);
    if (replaced !== undefined) this.#remove(replaced);
    this.#added += 1;
    const stored: StoredEntry = { ...record, scope, sessionId, number: this.#added };
    // A removal may have dropped the emptied maps, so they are set again.
    this.#scopes.set(scope.key, scope);
    scope.sessions.set(sessionId, session.set(stored.id, stored));
    this.#entries.add(stored);
    for (const word of stored.words) {
      const entries = scope.byWord.get(word);
      if (entries === undefined) scope.byWord.set(word, new Set([stored]));
      else entries.add(stored);
    }
    if (this.#entries.size > this.#maxEntries) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const oldest of this.#entries) {
      this.#meter.release(oldest.scope.owner, sizeOf([oldest]));
      this.#remove(oldest);
      return;
    }
  }

  #removeSession(memoryScope: MemoryScope, sessionId: string): void {
    const session = this.#scopes.get(keyOf(memoryScope))?.sessions.get(sessionId);
    for (const stored of [...(session?.values() ?? [])]) this.#remove(stored);
  }

  #remove(stored: StoredEntry): void {
    const { scope, sessionId } = stored;
    this.#entries.delete(stored);
    const session = scope.sessions.get(sessionId);
    session?.delete(stored.id);
    if (session?.size === 0) scope.sessions.delete(sessionId);
    if (scope.sessions.size === 0) this.#scopes.delete(scope.key);
    for (const word of stored.words) {
      const entries = scope.byWord.get(word);
      entries?.delete(stored);
      if (entries?.size === 0) scope.byWord.delete(word);
    }
  }

  #scopeOf(memoryScope: MemoryScope): Scope {
    const key = keyOf(memoryScope);
    return this.#scopes.get(key) ?? { key, owner: namesOf(memoryScope), sessions: new Map(), byWord: new Map() };
  }
}

function namesOf({ appName, userId, tenantId }: MemoryScope): MemoryScope {
  return { appName, userId, ...inTenant(tenantId) };
}

/** Of entries with the same id the last one counts. */
function byId(records: readonly MemoryRecord[]): ReadonlyMap<string, MemoryRecord> {
  return new Map(records.map((record) => [record.id, record]));
}

function sizeOf(records: Iterable<MemoryRecord>): MeteredAmounts {
  let size = NOTHING_METERED;
  for (const { entry } of records) size = sumOf(size, { items: 1, bytes: Buffer.byteLength(JSON.stringify(entry)) });
  return size;
}

function keyOf(scope: MemoryScope): string {
  return JSON.stringify([tenantOf(scope), scope.appName, scope.userId]);
}

/** More distinct matched words first, then newer ones, then by id and session. */
function compareMatches([left, leftWords]: [StoredEntry, number], [right, rightWords]: [StoredEntry, number]): number {
  return (
    rightWords - leftWords ||
    right.timeMs - left.timeMs ||
    compareText(left.id, right.id) ||
    compareText(left.sessionId, right.sessionId)
  );
}

/** Compares the bytes of UTF-8, as databases do. */
function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
