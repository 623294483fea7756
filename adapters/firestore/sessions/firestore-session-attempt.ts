import { EVENTS_SUBCOLLECTION_NAME, ID_KEY, STATE_KEY, UPDATE_TIME_KEY } from "#kit/sessions/document-keys.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionAnswers, SessionAttempt, SessionChange } from "#ports/sessions/network/session-database.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { HeadRead, SessionRead } from "#ports/sessions/session-reads.ts";
import type { ListOptions } from "#ports/sessions/session-tables.ts";
import type { StateScope } from "#ports/sessions/state-scope.ts";
import type { StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import {
  type CollectionQuery,
  DOCUMENT_NAME,
  type DocumentVersion,
  type FirestoreDatabase,
  type StoredDocument,
} from "../database/firestore-database.ts";
import { LostPreconditionError } from "../database/firestore-errors.ts";
import { toWireValue } from "../database/firestore-values.ts";
import type { OwnedDocuments } from "../database/owned-documents.ts";
import { OUTSIDE_ID_FIELD, toStoredEvent } from "./event-document.ts";
import type { FirestoreDeletions } from "./firestore-deletions.ts";
import { type FirestoreHead, fromHeadDocument, isTombstone, LISTED_FIELD, tombstoneWrite } from "./head-document.ts";
import { findOutlines, walkRuns } from "./old-runs.ts";
import { listIdleSessions } from "./owned-sessions.ts";
import { fromRunFields } from "./run-document.ts";
import { listAbandonedRuns, listRuns } from "./run-lists.ts";
import { commitSession } from "./session-commits.ts";
import { eventPath, runKeyPath, SESSIONS_COLLECTION } from "./session-paths.ts";
import { removeSession } from "./session-removal.ts";
import { countWrites, type SessionPlaces, toSessionWrites } from "./session-writes.ts";
import { toStateScope } from "./state-fields.ts";

type Documents = ReadonlyMap<string, StoredDocument>;
type Answers = SessionAnswers<DocumentVersion>;

/** Reads documents in one batched call, then the results of queries, and writes all changes in one commit. */
export class FirestoreSessionAttempt implements SessionAttempt<DocumentVersion> {
  readonly #database: FirestoreDatabase;
  readonly #places: SessionPlaces;
  readonly #deletions: FirestoreDeletions;
  readonly #documents: OwnedDocuments;
  /** The remains of the session that the operation looked for. */
  #tombstone: { readonly document: StoredDocument; readonly session: SessionKey } | undefined;

  constructor(
    database: FirestoreDatabase,
    places: SessionPlaces,
    { deletions, documents }: { readonly deletions: FirestoreDeletions; readonly documents: OwnedDocuments },
  ) {
    this.#database = database;
    this.#places = places;
    this.#deletions = deletions;
    this.#documents = documents;
  }

  async read(reads: readonly SessionRead[], answers: Answers): Promise<void> {
    const paths = new Set(reads.flatMap((read) => this.#pathsOf(read)));
    const documents: Documents = paths.size === 0 ? new Map() : await this.#database.read([...paths]);
    await Promise.all(reads.map((read) => this.#answer(read, documents, answers)));
  }

  async commit(change: SessionChange<DocumentVersion> | undefined): Promise<DocumentVersion | undefined> {
    const { paths } = this.#places;
    try {
      if (this.#tombstone !== undefined) {
        const { document, session } = this.#tombstone;
        await removeSession(this.#database, paths.runsParent(session), document);
        return undefined;
      }
      if (change === undefined) return undefined;
      if (change.kind === "delete") return await this.#delete(change);
      return await commitSession(this.#database, change, toSessionWrites(change, this.#places));
    } catch (error) {
      if (error instanceof LostPreconditionError) return undefined;
      throw error;
    }
  }

  async #delete(change: SessionChange<DocumentVersion>): Promise<DocumentVersion> {
    const { paths } = this.#places;
    const { key, version: known, incarnation } = change.head;
    const path = paths.head(key);
    const [version = {}] = await this.#database.commit([tombstoneWrite(path, known), ...countWrites(change, paths)]);
    await removeSession(this.#database, paths.runsParent(key), { path, version, fields: { incarnation } });
    return version;
  }

  #pathsOf(read: SessionRead): readonly string[] {
    const { paths } = this.#places;
    switch (read.kind) {
      case "head":
        return [paths.head(read.session), ...(read.runId === undefined ? [] : [paths.run(read.runId, read.session)])];
      case "shared-state":
        return [paths.appState(read.owner), paths.userState(read.owner)];
      case "stored":
        return [paths.stored(read.count)];
      case "run":
        return [paths.run(read.runId, read.tenant)];
      case "keyed-run":
        return [runKeyPath(paths.head(read.session), read.idempotencyKey)];
      default:
        return [];
    }
  }

  async #answer(read: SessionRead, documents: Documents, answers: Answers): Promise<void> {
    const database = this.#database;
    switch (read.kind) {
      case "head":
        return answers.set(read, this.#head(read, documents));
      case "shared-state":
        return answers.set(read, {
          app: this.#sharedState("app", read.owner, documents),
          user: this.#sharedState("user", read.owner, documents),
        });
      case "stored": {
        const document = documents.get(this.#places.paths.stored(read.count));
        // Written by `countWrites`.
        const amounts = document?.fields as unknown as StoredAmounts;
        return answers.set(read, document && { amounts, version: document.version });
      }
      case "deletions":
        return answers.set(read, await this.#deletions.recent());
      case "run":
        return answers.set(read, this.#run(documents.get(this.#places.paths.run(read.runId, read.tenant))));
      case "keyed-run":
        return answers.set(read, await this.#keyedRun(read, documents));
      case "events":
        return answers.set(read, await this.#events(read.head, read.afterRevision, read.limit));
      case "bounded-events":
        return answers.set(read, await this.#boundedEvents(read));
      case "outside-event":
        return answers.set(read, (await database.query(this.#outsideEventQuery(read))).length > 0);
      case "sessions": {
        const found = await database.query(this.#sessionsQuery(read.owner, read.options));
        return answers.set(
          read,
          found.map((document) => fromHeadDocument(document, this.#places.content)),
        );
      }
      case "runs":
        return answers.set(read, await listRuns(database, this.#places, read.filter, read.place));
      case "idle-sessions":
        return answers.set(read, await listIdleSessions(this.#documents, read.options));
      case "walked-runs":
        return answers.set(read, await walkRuns(this.#documents, this.#places.paths, read.options));
      case "run-outlines":
        return answers.set(read, await findOutlines(database, this.#places.paths, read.names));
      case "abandoned-runs":
        return answers.set(read, await listAbandonedRuns(database, this.#places, read.options));
      default:
        return read satisfies never;
    }
  }

  #head({ session }: HeadRead, documents: Documents): FirestoreHead | undefined {
    const { paths, content } = this.#places;
    const document = documents.get(paths.head(session));
    if (document === undefined) return undefined;
    if (!isTombstone(document))
      return fromHeadDocument(
        document,
        content,
        (runId) => this.#run(documents.get(paths.run(runId, session)))?.request,
      );
    this.#tombstone = { document, session };
    return undefined;
  }

  #run(document: StoredDocument | undefined): RunRecord | undefined {
    return document && fromRunFields(document.fields, this.#places.content);
  }

  async #keyedRun(
    { session, idempotencyKey }: Extract<SessionRead, { kind: "keyed-run" }>,
    documents: Documents,
  ): Promise<RunRecord | undefined> {
    const { paths } = this.#places;
    const runId = documents.get(runKeyPath(paths.head(session), idempotencyKey))?.fields["runId"];
    if (typeof runId !== "string") return undefined;
    const path = paths.run(runId, session);
    return this.#run(documents.get(path) ?? (await this.#database.read([path])).get(path));
  }

  #sharedState(scope: "app" | "user", owner: Omit<SessionKey, "id">, documents: Documents): StateScope {
    const { paths, content } = this.#places;
    const path = scope === "app" ? paths.appState(owner) : paths.userState(owner);
    const open = (key: string, text: string) => content.openShared(scope, owner, key, text);
    return toStateScope(documents.get(path)?.fields[STATE_KEY], open);
  }

  async #events(head: SessionHead, afterRevision: number, limit?: number) {
    const found = await this.#database.query(this.#eventsQuery(head, afterRevision, limit));
    return found.map((document) => this.#event(head, document));
  }

  /** The earlier events never change, so they are read beside the query. */
  async #boundedEvents({ head, bound: { from, earlier } }: Extract<SessionRead, { kind: "bounded-events" }>) {
    const path = this.#places.paths.head(head.key);
    const paths = earlier.map((sequence) => eventPath(path, sequence));
    const [newest, documents] = await Promise.all([
      this.#events(head, from - 1),
      paths.length === 0 ? new Map<string, StoredDocument>() : this.#database.read(paths),
    ]);
    const found = paths.flatMap((earlierPath) => documents.get(earlierPath) ?? []);
    return [...found.map((document) => this.#event(head, document)), ...newest];
  }

  #event({ key }: SessionHead, document: StoredDocument) {
    return toStoredEvent(document, (sequence, text) => this.#places.content.openEvent(key, sequence, text));
  }

  #eventsQuery({ key, revision }: SessionHead, afterRevision: number, limit?: number): CollectionQuery {
    const path = this.#places.paths.head(key);
    const bound = (sequence: number) => this.#database.reference(eventPath(path, sequence));
    return {
      parent: path,
      collection: EVENTS_SUBCOLLECTION_NAME,
      where: [
        { field: DOCUMENT_NAME, op: "GREATER_THAN", value: bound(afterRevision) },
        { field: DOCUMENT_NAME, op: "LESS_THAN_OR_EQUAL", value: bound(revision) },
      ],
      orderBy: [[DOCUMENT_NAME, "ASCENDING"]],
      limit,
    };
  }

  #outsideEventQuery({ head, eventId }: Extract<SessionRead, { kind: "outside-event" }>): CollectionQuery {
    return {
      parent: this.#places.paths.head(head.key),
      collection: EVENTS_SUBCOLLECTION_NAME,
      where: [{ field: OUTSIDE_ID_FIELD, op: "EQUAL", value: toWireValue(eventId) }],
      select: [DOCUMENT_NAME],
      limit: 1,
    };
  }

  /** Sessions with the hidden prefix are never listed: see the head's document. */
  #sessionsQuery(owner: Omit<SessionKey, "id">, { after, limit }: ListOptions): CollectionQuery {
    return {
      parent: this.#places.paths.user(owner),
      collection: SESSIONS_COLLECTION,
      where: [{ field: LISTED_FIELD, op: "EQUAL", value: toWireValue(true) }],
      orderBy: [
        [UPDATE_TIME_KEY, "DESCENDING"],
        [ID_KEY, "ASCENDING"],
      ],
      startAfter: after && [toWireValue(after.lastUpdateTime), toWireValue(after.id)],
      limit,
    };
  }
}
