import type { TenantScoped } from "#kit/names/tenant.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { StorageCount } from "#ports/storage-limits/storage-limits.ts";
import type { OutlinesRead, WalkRunsOptions } from "./old-runs/old-run-tables.ts";
import type { SessionHead } from "./session-head.ts";
import type {
  AbandonedOptions,
  EventPageRequest,
  IdleOptions,
  ListOptions,
  RunFilter,
  RunsPlace,
} from "./session-tables.ts";

/**
 * One operation of a store. It yields the reads that it needs and continues when the tables have them; then it decides
 * and writes to the tables. It does nothing else, so that a store can drop an attempt and start another one. For example:
 *
 *     function* close(tables, key): Operation<void> {
 *       yield [{ kind: "head", session: key }];
 *       const head = tables.find(key);
 *       if (head === undefined) throw new SessionNotFoundError(key);
 *       head.closedTime = now;
 *       tables.save(head);
 *     }
 */
export type Operation<T> = Generator<readonly SessionRead[], T, void>;

/**
 * A read that an operation declares before it uses the method of `SessionTables` that returns its result. A store on a
 * network answers all reads that are declared together in one call, with one state of the data.
 */
export type SessionRead =
  | HeadRead
  /** The states of an app and of one of its users. */
  | { readonly kind: "shared-state"; readonly owner: Omit<SessionKey, "id"> }
  | { readonly kind: "stored"; readonly count: StorageCount }
  | { readonly kind: "deletions" }
  | { readonly kind: "run"; readonly runId: string; readonly tenant: TenantScoped }
  | { readonly kind: "keyed-run"; readonly session: SessionKey; readonly idempotencyKey: string }
  | EventsRead
  | BoundedEventsRead
  | { readonly kind: "outside-event"; readonly head: SessionHead; readonly eventId: string }
  | { readonly kind: "sessions"; readonly owner: Omit<SessionKey, "id">; readonly options: ListOptions }
  | { readonly kind: "runs"; readonly filter: RunFilter; readonly place: RunsPlace }
  | { readonly kind: "idle-sessions"; readonly options: IdleOptions }
  | { readonly kind: "walked-runs"; readonly options: WalkRunsOptions }
  | OutlinesRead
  | { readonly kind: "abandoned-runs"; readonly options: AbandonedOptions };

export interface HeadRead {
  readonly kind: "head";
  readonly session: SessionKey;
  /** The open run whose request the operation needs. A store that keeps requests outside heads may omit the others. */
  readonly runId?: string;
  /** Read it with the session's state, even if the process remembers the head that it wrote last. */
  readonly isFresh?: boolean;
}

export interface EventsRead {
  readonly kind: "events";
  readonly head: SessionHead;
  readonly afterRevision: number;
  readonly limit?: number | undefined;
}

export interface BoundedEventsRead {
  readonly kind: "bounded-events";
  readonly head: SessionHead;
  readonly bound: HistoryStart;
}

/** How many events a store on a network reads for a page whose size is limited, because it learns their sizes by reading. */
const EVENTS_OF_PAGE = 50;

/** The events that a page needs; `SessionTables.eventPage` cuts them. */
export function readOfPage(head: SessionHead, { afterRevision, limit, maxCharacters }: EventPageRequest): EventsRead {
  const most = Number.isFinite(maxCharacters) ? EVENTS_OF_PAGE : Number.POSITIVE_INFINITY;
  const some = Math.min(most, limit ?? Number.POSITIVE_INFINITY);
  return {
    kind: "events",
    head,
    afterRevision: Math.floor(afterRevision),
    limit: Number.isFinite(some) ? some : undefined,
  };
}
