import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { assertHeadsRequest, type JournalHead } from "#kit/sessions/journal-head.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  FinishRunRequest,
  FinishRunResult,
} from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import { NetworkSessionStore } from "#ports/sessions/network/network-session-store.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionLimits } from "#ports/sessions/session-limits.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import type { DocumentVersion, FirestoreDatabase } from "../database/firestore-database.ts";
import { OwnedDocuments } from "../database/owned-documents.ts";
import { DEFAULT_ROOT_COLLECTION } from "../database/user-paths.ts";
import { appendInParts, type EventSize, finishInParts, type RunWrites, sealedEventBytes } from "./event-parts.ts";
import { FirestoreDeletions } from "./firestore-deletions.ts";
import { FirestoreSessionAttempt } from "./firestore-session-attempt.ts";
import { JOURNAL_HEAD_FIELDS, toJournalHead } from "./head-document.ts";
import { ownedSessionItems, ownedSessionKeys } from "./owned-sessions.ts";
import { SessionPaths, USER_STATE_COLLECTION } from "./session-paths.ts";

export interface FirestoreSessionStoreOptions {
  readonly database: FirestoreDatabase;
  /** `fairlead` when absent. */
  readonly rootCollection?: string | undefined;
  /**
   * Decides whether leases have expired, as in every store: the clocks of several processes with one database must
   * differ by much less than the length of a lease.
   */
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly limits?: SessionLimits | undefined;
  readonly storage?: StorageLimits | undefined;
  /** Waits between attempts when writers compete for one session. */
  readonly sleep?: Sleep | undefined;
  /** How many sessions' heads are remembered, so that a run's appends need no reads. */
  readonly maxRememberedSessions?: number | undefined;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
}

/**
 * Sessions, runs and leases in Firestore. Each write is one batched commit under preconditions: `begin` is one batched
 * read and one commit; `append` and `finish` are one commit in the process that began the run.
 */
export class FirestoreSessionStore extends NetworkSessionStore<DocumentVersion> {
  readonly #database: FirestoreDatabase;
  readonly #paths: SessionPaths;
  readonly #clock: Clock;
  readonly #eventBytes: EventSize | undefined;
  readonly #documents: OwnedDocuments;

  constructor(options: FirestoreSessionStoreOptions) {
    const { database, rootCollection, sealer, clock = systemClock, ids = new UuidV7Generator() } = options;
    const places = { paths: new SessionPaths(rootCollection), content: new SessionContent(sealer) };
    const documents = new OwnedDocuments(database, rootCollection ?? DEFAULT_ROOT_COLLECTION);
    const deletions = new FirestoreDeletions(database, places.paths.runsParent({}), clock);
    super({
      ...options,
      clock,
      ids,
      database: {
        attempt: () => new FirestoreSessionAttempt(database, places, { deletions, documents }),
        ownedSessions: (owner) => ownedSessionKeys(documents, owner),
        ownedItems: (owner, place) => ownedSessionItems({ documents, content: places.content }, owner, place),
        deleteStates: async (owner) => {
          for await (const document of documents.inCollections(owner, USER_STATE_COLLECTION))
            await documents.delete([document]);
        },
        beginDeletion: (owner) => deletions.beginDeletion(owner),
        endDeletion: (owner) => deletions.endDeletion(owner),
        listDeletions: () => deletions.listDeletions(),
      },
    });
    this.#database = database;
    this.#paths = places.paths;
    this.#clock = clock;
    this.#documents = documents;
    this.#eventBytes = sealer?.isSealing === true ? sealedEventBytes : undefined;
  }

  override async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    return appendInParts(request, (part) => super.append(part), this.#eventBytes);
  }

  override async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const leaseMs = Math.max(0, request.lease.expiresAt - this.#clock.now());
    const writes: RunWrites = {
      append: (part) => this.append({ ...part, leaseMs }),
      finish: (part) => super.finish(part),
    };
    return finishInParts(request, writes, this.#eventBytes);
  }

  /** Reads only the fields that are needed, and none of the state. */
  override async getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    assertHeadsRequest(sessions);
    if (sessions.length === 0) return [];
    const paths = sessions.map((session) => this.#paths.head(session));
    const documents = await this.#database.read([...new Set(paths)], JOURNAL_HEAD_FIELDS);
    return paths.map((path) => {
      const document = documents.get(path);
      return document && toJournalHead(document);
    });
  }

  /** All documents of a tenant are deleted in pages, without looking at single sessions. */
  override async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return request.userId === undefined ? this.#documents.deleteTenant(request) : super.deleteData(request);
  }
}
