import { textOf } from "#kit/events/content.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryEntry, MemoryScope, MemoryService, SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { assertIdentifier, unescapeSegment } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT, inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Session } from "#kit/sessions/session.ts";
import { type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";
import { MAX_COSINE_DISTANCE, MeaningEmbedder, mergeRanks } from "#ports/memory/meaning.ts";
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
import { assertDataOwner, type DataOwner } from "#ports/tenants/data-owner.ts";
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
import type { DocumentWrite, FirestoreDatabase, StoredDocument } from "./database/firestore-database.ts";
import { toWireValue, toWireVector } from "./database/firestore-values.ts";
import { OwnedDocuments } from "./database/owned-documents.ts";
import { DEFAULT_ROOT_COLLECTION, userPath } from "./database/user-paths.ts";
import { FirestoreStorageCounts } from "./firestore-storage-counts.ts";
import { MEMORY_FIELDS, memoryDocumentId, memoryWrite, toMemoryEntry } from "./memory-document.ts";
import { splitBySize } from "./sessions/session-commits.ts";

export interface FirestoreMemoryServiceOptions {
  readonly database: FirestoreDatabase;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
  /** Entries are also found by meaning. Those added before it was set are found by words only. */
  readonly embedder?: Embedder | undefined;
  readonly logger?: Logger | undefined;
  /** Encrypts entries; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

const COLLECTION = "memories";
/** The store allows 500 writes in a commit. */
const MAX_DELETIONS = 400;
/** Content that is counted is read before it is deleted. */
const MAX_COUNTED_DELETIONS = 50;
/** The owner of documents that this service has not written. They are not counted. */
const UNNAMED = { appName: "" };
/** The most values that one filter of the store accepts. */
const MAX_FILTER_VALUES = 30;
/** How many of the newest matches a search compares: a frequent word must not cause a read of all entries. */
const MAX_CANDIDATES = 1_000;

/**
 * Memory in Firestore, found by words: `{root}/{app}/users/{user}/memories`. A search makes one query for each 30 of
 * its words and one read of its results, and compares the newest 1,000 entries that have any of those words. With an
 * embedder, one more query finds entries of close meaning, and both lists are merged. If the embedder fails, only the
 * search by meaning is missing.
 *
 * Encrypted entries have neither words nor embeddings. A search then reads and opens the user's newest 1,000 entries, by
 * words alone.
 */
export class FirestoreMemoryService implements MemoryService, MeteredStore, TenantData, OldData {
  readonly #options: FirestoreMemoryServiceOptions;
  readonly #root: string;
  readonly #sealer: ContentSealer;
  readonly #embedder: MeaningEmbedder | undefined;
  readonly #counts: FirestoreStorageCounts;
  readonly #documents: OwnedDocuments;

  constructor(options: FirestoreMemoryServiceOptions) {
    this.#options = options;
    this.#root = options.root ?? DEFAULT_ROOT_COLLECTION;
    this.#sealer = options.sealer ?? plainContent;
    this.#embedder = options.embedder && new MeaningEmbedder(options.embedder, options.logger);
    this.#counts = new FirestoreStorageCounts({
      database: options.database,
      root: options.root,
      kind: "memory",
      limits: options.storage,
      bytesOf: entryBytes,
    });
    this.#documents = new OwnedDocuments(options.database, this.#root);
  }

  async addSessionToMemory(session: Session): Promise<void> {
    assertMemoryScope(session);
    assertIdentifier("sessionId", session.id);
    const writes = await this.#writesOf(session, session.id, recordsOfSession(session));
    const kept = new Set(writes.map(({ path }) => path));
    await this.#commit(session, async () => {
      const stored = await this.#documentsOfSession(session, session.id);
      return [...writes, ...stored.filter(({ path }) => !kept.has(path)).map(deletion)];
    });
  }

  async addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    assertMemoryScope(scope);
    const { clock, ids } = this.#options;
    const timeMs = clock.now();
    const records = entries.map((entry) => recordOfEntry(entry, { id: ids.next(), timeMs }));
    const writes = await this.#writesOf(scope, NO_SESSION, records);
    await this.#commit(scope, async () => writes);
  }

  async searchMemory(scope: MemoryScope, query: string): Promise<SearchMemoryResponse> {
    assertMemoryScope(scope);
    if (this.#sealer.isSealing) return { memories: await this.#searchOpened(scope, searchWordsOf(query)) };
    const [byWords, byMeaning] = await Promise.all([this.#byWords(scope, query), this.#byMeaning(scope, query)]);
    const best = mergeRanks(byWords, byMeaning).slice(0, MAX_MEMORIES);
    if (best.length === 0) return { memories: [] };
    const documents = await this.#options.database.read(best);
    // Excludes an entry that was deleted between the two calls.
    const found = best.flatMap((path) => documents.get(path) ?? []);
    return { memories: withinAnswer(found.map((each) => this.#open(scope, each))) };
  }

  async deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void> {
    assertMemoryScope(scope);
    assertIdentifier("sessionId", sessionId);
    await this.#commit(scope, async () => (await this.#documentsOfSession(scope, sessionId)).map(deletion));
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#counts.readStored(counts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#owned(request, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const { isCounting } = this.#counts;
    const most = Math.min(request.limit, isCounting ? MAX_COUNTED_DELETIONS : MAX_DELETIONS);
    const options = isCounting ? { pageSize: most } : { select: [MEMORY_FIELDS.id] };
    let page: StoredDocument[] = [];
    await this.#counts.decide(async () => {
      page = [];
      for await (const document of this.#documents.inCollections(request, COLLECTION, options)) {
        page.push(document);
        if (page.length >= most) break;
      }
      if (isCounting) await this.#counts.delete(page, ({ path }) => this.#scopeAt(request, path) ?? UNNAMED);
      else await this.#documents.delete(page);
    });
    const isDone = page.length < most;
    if (isDone) await this.#counts.forgetUser(request);
    return { deleted: page.length, isDone };
  }

  /** In the order of paths: an index of all entries by time would be written by each addition, at its newest end. */
  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { session, id, time } = MEMORY_FIELDS;
    const { limit, after } = oldRange(request);
    const query = { after: after?.[0], select: [session, id, time], limit };
    const page = await this.#documents.firstOfAll(COLLECTION, query);
    const items = page.flatMap(({ path, fields }) => {
      const scope = this.#scopeAt({ tenantId: tenantAt(this.#root, path) }, path);
      if (scope === undefined) return [];
      const entry = { sessionId: String(fields[session]), id: String(fields[id]), timeMs: Number(fields[time]) };
      return [oldEntry(scope, entry)];
    });
    const last = page.length < limit ? undefined : page.at(-1);
    return oldPage(request, items, last && [last.path]);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    const { items, before } = request;
    const scope = scopeOfOld(request);
    const parent = userPath(this.#root, scope);
    const paths = items.map(
      ({ sessionId = NO_SESSION, id }) => `${parent}/${COLLECTION}/${memoryDocumentId(sessionId, id)}`,
    );
    // What is counted is its content.
    const fields = this.#counts.isCounting ? undefined : [MEMORY_FIELDS.time];
    let deleted = 0;
    for (let start = 0; start < paths.length; start += MAX_COUNTED_DELETIONS) {
      const some = paths.slice(start, start + MAX_COUNTED_DELETIONS);
      await this.#counts.decide(async () => {
        const found = [...(await this.#options.database.read(some, fields)).values()];
        const old = found.filter(({ fields }) => Number(fields[MEMORY_FIELDS.time]) < before);
        await this.#counts.delete(old, () => scope);
        deleted += old.length;
      });
    }
    return deleted;
  }

  async *#owned(owner: DataOwner, place: readonly string[] = []): AsyncGenerator<PlacedItem, void, undefined> {
    for await (const document of this.#documents.inCollections(owner, COLLECTION, { after: place[0] })) {
      const scope = this.#scopeAt(owner, document.path);
      if (scope === undefined) continue;
      const sessionId = String(document.fields[MEMORY_FIELDS.session]);
      yield { item: memoryItem(scope, sessionId, this.#open(scope, document)), place: [document.path] };
    }
  }

  /** The owner of an entry, by the path of its document. */
  #scopeAt({ tenantId }: DataOwner, path: string): MemoryScope | undefined {
    const [, , user, users, app] = path.split("/").reverse().map(unescapeSegment);
    if (users !== "users" || app === undefined || user === undefined) return undefined;
    return { ...inTenant(tenantId), appName: app, userId: user };
  }

  async #searchOpened(scope: MemoryScope, words: readonly string[]): Promise<readonly MemoryEntry[]> {
    if (words.length === 0) return [];
    const { time, id, session } = MEMORY_FIELDS;
    const documents = await this.#options.database.query({
      parent: userPath(this.#root, scope),
      collection: COLLECTION,
      orderBy: [[time, "DESCENDING"]],
      limit: MAX_OPENED_ENTRIES,
    });
    const opened = documents.map((document) => ({
      entry: this.#open(scope, document),
      timeMs: Number(document.fields[time]),
      id: String(document.fields[id]),
      sessionId: String(document.fields[session]),
    }));
    return searchOpened(opened, words);
  }

  #open(scope: MemoryScope, document: StoredDocument): MemoryEntry {
    const { [MEMORY_FIELDS.session]: session, [MEMORY_FIELDS.id]: id } = document.fields;
    const place = memoryPlace(scope, String(session), String(id));
    return toMemoryEntry(document, (text) => this.#sealer.openText(text, place));
  }

  async #byWords(scope: MemoryScope, query: string): Promise<readonly string[]> {
    const words = searchWordsOf(query);
    const found = await Promise.all(chunksOf(words).map((chunk) => this.#candidates(scope, chunk)));
    return rank(new Map(found.flat().map((each) => [each.path, each])), new Set(words));
  }

  async #byMeaning(scope: MemoryScope, query: string): Promise<readonly string[]> {
    const [vector] = (await this.#embedder?.embed([query], "query")) ?? [];
    if (vector === undefined) return [];
    const documents = await this.#options.database.query({
      parent: userPath(this.#root, scope),
      collection: COLLECTION,
      nearest: {
        field: MEMORY_FIELDS.embedding,
        vector: toWireVector(vector),
        limit: MAX_MEMORIES,
        maxCosineDistance: MAX_COSINE_DISTANCE,
      },
      select: [MEMORY_FIELDS.id],
    });
    return documents.map(({ path }) => path);
  }

  async #writesOf(
    scope: MemoryScope,
    sessionId: string,
    records: readonly MemoryRecord[],
  ): Promise<readonly DocumentWrite[]> {
    const parent = userPath(this.#root, scope);
    const texts = records.map(({ entry }) => textOf(entry.content));
    const { isSealing } = this.#sealer;
    const embeddings = isSealing ? [] : ((await this.#embedder?.embed(texts, "document")) ?? []);
    // Of records with the same id the last one counts, and a commit accepts each document only once.
    const writes = new Map<string, DocumentWrite>();
    for (const [index, record] of records.entries()) {
      const path = `${parent}/${COLLECTION}/${memoryDocumentId(sessionId, record.id)}`;
      const place = memoryPlace(scope, sessionId, record.id);
      const seal = isSealing ? (text: string) => this.#sealer.sealText(text, place) : undefined;
      writes.set(path, memoryWrite(path, sessionId, record, { embedding: embeddings[index], seal }));
    }
    return [...writes.values()];
  }

  /** In one commit if it fits; repeating the call completes a larger one that was interrupted. */
  async #commit(scope: MemoryScope, writesNow: () => Promise<readonly DocumentWrite[]>): Promise<void> {
    const { database } = this.#options;
    if (!this.#counts.isCounting) {
      for (const part of splitBySize(await writesNow(), bytesOf)) await database.commit(part);
      return;
    }
    const { appName, userId, tenantId } = scope;
    const owner = { appName, userId, ...inTenant(tenantId) };
    await this.#counts.decide(async () => {
      const writes = await writesNow();
      if (writes.length === 0) return;
      const replaced = await database.read(writes.map(({ path }) => path));
      const parts = splitBySize(writes, bytesOf);
      // Nothing is stored if the whole has no room.
      if (parts.length > 1) await this.#counts.counted({ owner, writes, replaced: [...replaced.values()] });
      for (const part of parts) {
        const documents = part.flatMap(({ path }) => replaced.get(path) ?? []);
        const expected = part.map((write) => expecting(write, replaced.get(write.path)));
        await database.commit(await this.#counts.counted({ owner, writes: expected, replaced: documents }));
      }
    });
  }

  #documentsOfSession(scope: MemoryScope, sessionId: string): Promise<readonly StoredDocument[]> {
    return this.#options.database.query({
      parent: userPath(this.#root, scope),
      collection: COLLECTION,
      where: [{ field: MEMORY_FIELDS.session, op: "EQUAL", value: toWireValue(sessionId) }],
      select: [MEMORY_FIELDS.session],
    });
  }

  #candidates(scope: MemoryScope, words: readonly string[]): Promise<readonly StoredDocument[]> {
    const { words: field, time, id, session } = MEMORY_FIELDS;
    return this.#options.database.query({
      parent: userPath(this.#root, scope),
      collection: COLLECTION,
      where: [{ field, op: "ARRAY_CONTAINS_ANY", value: toWireValue([...words]) }],
      orderBy: [[time, "DESCENDING"]],
      limit: MAX_CANDIDATES,
      select: [field, time, id, session],
    });
  }
}

/** Paths, those with more of the words first, then newer ones, then by id. */
function rank(candidates: ReadonlyMap<string, StoredDocument>, words: ReadonlySet<string>): readonly string[] {
  const scored = [...candidates.values()].map(({ path, fields }) => ({
    path,
    score: count(fields[MEMORY_FIELDS.words], words),
    timeMs: Number(fields[MEMORY_FIELDS.time]),
    key: `${String(fields[MEMORY_FIELDS.id])}\u0000${String(fields[MEMORY_FIELDS.session])}`,
  }));
  scored.sort((a, b) => b.score - a.score || b.timeMs - a.timeMs || (a.key < b.key ? -1 : 1));
  return scored.map(({ path }) => path);
}

function count(own: unknown, words: ReadonlySet<string>): number {
  return Array.isArray(own) ? own.filter((word) => words.has(word)).length : 0;
}

function chunksOf(words: readonly string[]): readonly (readonly string[])[] {
  const chunks: (readonly string[])[] = [];
  for (let start = 0; start < words.length; start += MAX_FILTER_VALUES) {
    chunks.push(words.slice(start, start + MAX_FILTER_VALUES));
  }
  return chunks;
}

function deletion({ path }: StoredDocument): DocumentWrite {
  return { kind: "delete", path };
}

/** The tenant of a path below the root, as `tenantRoot` has built it. */
function tenantAt(root: string, path: string): string {
  const [first, , tenantId = ""] = path.slice(root.length + 1).split("/");
  return first === "_" ? tenantId : DEFAULT_TENANT;
}

/** The write, under the condition that the document is still the one that was read. */
function expecting(write: DocumentWrite, document: StoredDocument | undefined): DocumentWrite {
  if (write.kind === "update") return { ...write, expect: document?.version ?? "missing" };
  return write.kind === "delete" && document !== undefined ? { ...write, expect: document.version } : write;
}

function entryBytes({ [MEMORY_FIELDS.entry]: entry }: Readonly<Record<string, unknown>>): number | undefined {
  return entry === undefined ? undefined : Buffer.byteLength(String(entry));
}

function bytesOf(write: DocumentWrite): number {
  if (!("fields" in write)) return 0;
  const { [MEMORY_FIELDS.entry]: entry, [MEMORY_FIELDS.words]: words } = write.fields;
  return Buffer.byteLength(String(entry)) + (Array.isArray(words) ? Buffer.byteLength(words.join(" ")) : 0);
}
