import type { StoredEvent } from "#kit/events/event-record.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { EVENTS_SUBCOLLECTION_NAME, ID_KEY, STATE_KEY, UPDATE_TIME_KEY } from "#kit/sessions/document-keys.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import { type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type { ScopedDelta } from "#kit/sessions/state-delta.ts";
import { cutEventPage } from "#ports/sessions/event-pages.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { ScopeName } from "#ports/sessions/session-limits.ts";
import type {
  EventPage,
  EventPageRequest,
  ListOptions,
  NumberedRuns,
  SessionScopes,
  SessionTables,
} from "#ports/sessions/session-tables.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import type { StorageCount, StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { jsonBytes } from "#ports/storage-limits/stored-counts.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import {
  type CollectionQuery,
  DOCUMENT_NAME,
  type FirestoreDatabase,
  type StoredDocument,
} from "../database/firestore-database.ts";
import { toWireValue } from "../database/firestore-values.ts";
import { fromCountDocument } from "./count-document.ts";
import { OUTSIDE_ID_FIELD, toStoredEvent } from "./event-document.ts";
import { type FirestoreHead, fromHeadDocument, isTombstone, LISTED_FIELD, newHead } from "./head-document.ts";
import { fromRunFields, UNKNOWN_REQUEST } from "./run-document.ts";
import { eventPath, runKeyPath, SESSIONS_COLLECTION, type SessionPaths } from "./session-paths.ts";
import type { SessionReads } from "./session-reads.ts";
import { SessionWrites } from "./session-writes.ts";
import { toStateScope } from "./state-fields.ts";

export interface FirestoreTablesDependencies {
  readonly database: FirestoreDatabase;
  readonly paths: SessionPaths;
  readonly reads: SessionReads;
  readonly content: SessionContent;
  readonly newIncarnation: () => string;
  /** The head as this process last wrote it. */
  readonly remembered: (path: string) => FirestoreHead | undefined;
  /** The deletions in progress that the process knows of. */
  readonly deletions: readonly DataDeletion[];
}

/** Thrown if a session is created while remains of a deleted one exist. */
export class TombstoneInTheWay extends Error {
  readonly tombstone: StoredDocument;

  constructor(tombstone: StoredDocument) {
    super("The remains of a deleted session still exist.");
    this.tombstone = tombstone;
  }
}

/**
 * The tables of one operation: the data that it has read and the writes that it collects. A step is synchronous and
 * uses only data that was read: if that is not enough, the step ends with `MissingReads` and is repeated from the
 * start, after `restart`.
 */
export class FirestoreSessionTables implements SessionTables<FirestoreHead> {
  readonly #database: FirestoreDatabase;
  readonly #paths: SessionPaths;
  readonly #reads: SessionReads;
  readonly #newIncarnation: () => string;
  readonly #remembered: (path: string) => FirestoreHead | undefined;
  readonly #heads = new Map<string, FirestoreHead>();
  readonly #scopes = new Map<string, StateScope>();
  readonly #content: SessionContent;
  readonly #deletions: readonly DataDeletion[];
  #writes: SessionWrites;
  #usedMemory = false;
  #torn = false;
  #tombstone: StoredDocument | undefined;

  constructor({ database, paths, reads, content, newIncarnation, remembered, deletions }: FirestoreTablesDependencies) {
    this.#database = database;
    this.#paths = paths;
    this.#reads = reads;
    this.#content = content;
    this.#writes = new SessionWrites(content);
    this.#newIncarnation = newIncarnation;
    this.#remembered = remembered;
    this.#deletions = deletions;
  }

  get writes(): SessionWrites {
    return this.#writes;
  }

  /** Whether the step used a head that was not read for it and may be out of date. */
  get usedMemory(): boolean {
    return this.#usedMemory;
  }

  /** Whether events that the head counts were missing: the session was deleted while it was read. */
  get torn(): boolean {
    return this.#torn;
  }

  /** The remains of the session that the step looked for. */
  get tombstone(): StoredDocument | undefined {
    return this.#tombstone;
  }

  restart(): void {
    this.#heads.clear();
    this.#scopes.clear();
    this.#writes = new SessionWrites(this.#content);
    this.#usedMemory = false;
    this.#torn = false;
    this.#tombstone = undefined;
  }

  find(key: SessionKey): FirestoreHead | undefined {
    const path = this.#paths.head(key);
    const head = this.#heads.get(path) ?? this.#findHead(path, key);
    if (head !== undefined) this.#heads.set(path, head);
    return head;
  }

  create(key: SessionKey, lastUpdateTime: number): FirestoreHead {
    if (this.#tombstone !== undefined) throw new TombstoneInTheWay(this.#tombstone);
    const head = newHead(sessionKey(key), this.#paths.head(key), this.#newIncarnation(), lastUpdateTime);
    this.#heads.set(head.path, head);
    this.#writes.create(head);
    return head;
  }

  save(head: FirestoreHead): void {
    this.#writes.save(head);
  }

  saveHistoryStart(head: FirestoreHead, bound: HistoryStart | undefined): void {
    head.historyStart = bound;
    this.#writes.save(head);
  }

  delete(head: FirestoreHead): void {
    this.#writes.delete(head);
  }

  list(owner: Omit<SessionKey, "id">, { after, limit }: ListOptions): readonly FirestoreHead[] {
    // Sessions with the hidden prefix are never listed: see the head's document.
    const documents = this.#reads.query({
      parent: this.#paths.user(owner),
      collection: SESSIONS_COLLECTION,
      where: [{ field: LISTED_FIELD, op: "EQUAL", value: toWireValue(true) }],
      orderBy: [
        [UPDATE_TIME_KEY, "DESCENDING"],
        [ID_KEY, "ASCENDING"],
      ],
      startAfter: after && [toWireValue(after.lastUpdateTime), toWireValue(after.id)],
      limit,
    });
    return documents.map((document) => fromHeadDocument(document, () => UNKNOWN_REQUEST));
  }

  scopes(head: FirestoreHead): SessionScopes {
    if (head.state === undefined) this.#reads.document(head.path);
    const app = this.#paths.appState(head.key);
    const user = this.#paths.userState(head.key);
    this.#reads.documents([app, user]);
    const session = this.#sessionScope(head);
    session.apply(this.#writes.sessionDelta());
    return { app: this.#sharedScope("app", head.key), user: this.#sharedScope("user", head.key), session };
  }

  /**
   * An append of a run reads no state, and the store itself limits a document's size: only scopes that were read anyway
   * are known.
   */
  knownScope(name: ScopeName, key: SessionKey, head: FirestoreHead | undefined): StateScope | undefined {
    if (name === "session") {
      if (head === undefined) return new StateScope();
      return head.state === undefined ? undefined : this.#sessionScope(head);
    }
    return this.#reads.has(this.#sharedPath(name, key)) ? this.#sharedScope(name, key) : undefined;
  }

  applyDelta(head: FirestoreHead, { app, user, session }: ScopedDelta): void {
    this.#writes.applySessionDelta(head, session);
    this.#applyShared("app", head.key, app);
    this.#applyShared("user", head.key, user);
  }

  insertEvent(head: FirestoreHead, event: StoredEvent): void {
    this.#writes.insertEvent(head, event);
  }

  events(head: FirestoreHead, afterRevision: number, limit?: number): readonly StoredEvent[] {
    if (afterRevision >= head.revision) return [];
    const first = Math.max(0, Math.floor(afterRevision));
    const documents = this.#reads.query(this.#eventsQuery(head, first, limit));
    if (documents.length < Math.min(head.revision - first, limit ?? head.revision)) this.#torn = true;
    return documents.map(this.#opened(head));
  }

  eventPage(head: FirestoreHead, request: EventPageRequest): EventPage {
    // A document's size is known only after it is read, so a query reads few documents: the page is not much smaller
    // than the data that was read for it.
    const most = Number.isFinite(request.maxCharacters) ? DOCUMENTS_OF_PAGE : Number.POSITIVE_INFINITY;
    const limit = Math.min(most, request.limit ?? Number.POSITIVE_INFINITY);
    const isLimited = Number.isFinite(limit);
    const page = cutEventPage(this.events(head, request.afterRevision, isLimited ? limit : undefined), request);
    return { ...page, hasMore: page.hasMore || (isLimited && page.last < head.revision) };
  }

  boundedEvents(head: FirestoreHead, { from, earlier }: HistoryStart): readonly StoredEvent[] {
    const paths = earlier.map((sequence) => eventPath(head.path, sequence));
    const { documents, found } = this.#reads.queryBeside(this.#eventsQuery(head, from - 1), paths);
    if (documents.length < paths.length || found.length <= head.revision - from) this.#torn = true;
    return [...documents, ...found].map(this.#opened(head));
  }

  hasEvent(head: FirestoreHead, eventId: string): boolean {
    const found = this.#reads.query({
      parent: head.path,
      collection: EVENTS_SUBCOLLECTION_NAME,
      where: [{ field: OUTSIDE_ID_FIELD, op: "EQUAL", value: toWireValue(eventId) }],
      select: [DOCUMENT_NAME],
      limit: 1,
    });
    return found.length > 0;
  }

  insertRun(head: FirestoreHead, run: RunRecord): number {
    this.#writes.insertRun(head, this.#paths.run(run.runId, head.key), run);
    return jsonBytes(run.request);
  }

  updateRun(head: FirestoreHead, run: RunRecord): void {
    this.#writes.updateRun(head, this.#paths.run(run.runId, head.key), run);
  }

  stored(count: StorageCount): StoredAmounts {
    return fromCountDocument(this.#reads.document(this.#paths.stored(count)));
  }

  addStored(count: StorageCount, change: StoredAmounts, exact: boolean): void {
    const path = this.#paths.stored(count);
    this.#writes.addStored(path, change, exact ? (this.#reads.document(path)?.version ?? "missing") : undefined);
  }

  saveAnswer(head: FirestoreHead, runId: string, answeredBy: string): void {
    this.#writes.saveAnswer(head, this.#paths.run(runId, head.key), answeredBy);
  }

  findRun(runId: string, tenant: TenantScoped): RunRecord | undefined {
    const document = this.#reads.document(this.#paths.run(runId, tenant));
    return document && fromRunFields(document.fields, this.#content);
  }

  findRunByIdempotencyKey(head: FirestoreHead, idempotencyKey: string): RunRecord | undefined {
    const document = this.#reads.document(runKeyPath(head.path, idempotencyKey));
    const runId = document?.fields["runId"];
    return typeof runId === "string" ? this.findRun(runId, head.key) : undefined;
  }

  listRuns(): NumberedRuns {
    throw new Error("Runs have no numbers here; the store lists them itself.");
  }

  listAbandoned(): readonly RunRecord[] {
    throw new Error("The runs of all sessions are not of one step; the store lists them itself.");
  }

  ownedItems(): readonly PlacedItem[] {
    throw new Error("The data of a tenant is not of one step; the store lists it itself.");
  }

  deleteOwned(): DeleteDataResponse {
    throw new Error("The data of a tenant is not of one step; the store deletes it itself.");
  }

  deletions(): readonly DataDeletion[] {
    return this.#deletions;
  }

  saveDeletion(): void {
    throw new Error("The store saves deletions itself.");
  }

  dropDeletion(): void {
    throw new Error("The store drops deletions itself.");
  }

  #eventsQuery(head: FirestoreHead, afterRevision: number, limit?: number): CollectionQuery {
    const bound = (sequence: number) => this.#database.reference(eventPath(head.path, sequence));
    return {
      parent: head.path,
      collection: EVENTS_SUBCOLLECTION_NAME,
      where: [
        { field: DOCUMENT_NAME, op: "GREATER_THAN", value: bound(afterRevision) },
        { field: DOCUMENT_NAME, op: "LESS_THAN_OR_EQUAL", value: bound(head.revision) },
      ],
      orderBy: [[DOCUMENT_NAME, "ASCENDING"]],
      limit,
    };
  }

  #findHead(path: string, tenant: TenantScoped): FirestoreHead | undefined {
    const remembered = this.#remembered(path);
    if (remembered !== undefined && !this.#reads.has(path)) {
      this.#usedMemory = true;
      return forChange(remembered);
    }
    const document = this.#reads.document(path);
    if (document === undefined) return undefined;
    if (!isTombstone(document))
      return forChange(fromHeadDocument(document, (runId) => this.#requestOf(runId, tenant, remembered)));
    this.#tombstone = document;
    return undefined;
  }

  #requestOf(runId: string, tenant: TenantScoped, remembered: FirestoreHead | undefined): RunRequest {
    const path = this.#paths.run(runId, tenant);
    const document = this.#reads.has(path) ? this.#reads.document(path) : undefined;
    if (document !== undefined) return fromRunFields(document.fields, this.#content).request;
    const active = remembered?.active?.run;
    return active?.runId === runId ? active.request : UNKNOWN_REQUEST;
  }

  #opened({ key }: FirestoreHead): (document: StoredDocument) => StoredEvent {
    return (document) => toStoredEvent(document, (sequence, text) => this.#content.openEvent(key, sequence, text));
  }

  #sessionScope({ key: session, state }: FirestoreHead): StateScope {
    return toStateScope(state, (key, text) => this.#content.openState(session, text, key));
  }

  #sharedPath(name: SharedScopeName, owner: SessionKey): string {
    return name === "app" ? this.#paths.appState(owner) : this.#paths.userState(owner);
  }

  #applyShared(name: SharedScopeName, owner: SessionKey, delta: JsonObject): void {
    const path = this.#sharedPath(name, owner);
    this.#writes.applySharedDelta(path, delta, (key, json) => this.#content.sealShared(name, owner, key, json));
    this.#scopes.get(path)?.apply(delta);
  }

  #sharedScope(name: SharedScopeName, owner: SessionKey): StateScope {
    const path = this.#sharedPath(name, owner);
    const known = this.#scopes.get(path);
    if (known !== undefined) return known;
    const open = (key: string, text: string) => this.#content.openShared(name, owner, key, text);
    const scope = toStateScope(this.#reads.document(path)?.fields[STATE_KEY], open);
    scope.apply(this.#writes.sharedDelta(path));
    this.#scopes.set(path, scope);
    return scope;
  }
}

type SharedScopeName = Exclude<ScopeName, "session">;

/** A head that the step may change, with a copy of its original values. */
function forChange(head: FirestoreHead): FirestoreHead {
  const { active, pending, awaiting, historyStart, countedIn } = head;
  return { ...head, asRead: { active, pending, awaiting, historyStart, countedIn } };
}

const DOCUMENTS_OF_PAGE = 50;
