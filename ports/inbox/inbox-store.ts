import type { OnExpiry } from "#kit/core/app-settings/app-inbox.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { DeletableData } from "#ports/tenants/tenant-data.ts";

/** A run that may wait for people. */
export interface InboxEntryKey {
  /** The run's session. */
  readonly session: SessionKey;
  readonly runId: string;
}

/** What its app says about a question that nobody answers. It is kept with the run as it was when the run started. */
export interface Expiry {
  /** When the run was about to start. */
  readonly sinceMs: number;
  /** How long the run waits, from its end on. */
  readonly afterMs: number;
  readonly onExpiry: OnExpiry;
}

/** Somebody works on an answer. */
export interface InboxClaim {
  /** The claimer, as others see it. */
  readonly by: string;
  readonly sinceMs: number;
  /** The claim counts until then. */
  readonly untilMs: number;
}

/** The time and the claim of an entry, which are kept besides its run. */
export interface InboxNote {
  readonly expiry?: Expiry | undefined;
  readonly claim?: InboxClaim | undefined;
}

export interface ClaimRequest {
  readonly by: string;
  readonly nowMs: number;
  readonly untilMs: number;
  /** Replaces a claim of somebody else. */
  readonly takeOver: boolean;
}

/** An entry that has a time, without its content. */
export interface DueEntry {
  readonly key: string;
  readonly dueMs: number;
}

/** An entry that this process may decide about until its lease ends. */
export interface TakenEntry {
  readonly key: string;
  readonly lease: string;
  readonly entry: InboxEntryKey;
  /** Absent for one that had only a claim. */
  readonly expiry?: Expiry | undefined;
  /** Whether a process had it whose lease has ended. */
  readonly wasLost: boolean;
}

/**
 * Times and claims of questions to people. A run is noted before it starts, with the earliest time when its question can be too old,
 * so that no question is missed. For example, a process that answers what is due:
 *
 *     for (const due of await store.listDue(100)) {
 *       const taken = await store.take(due, clock.now() + 30_000);
 *       if (taken !== undefined) await store.settle(taken, await nextLook(taken), clock.now());
 *     }
 */
export interface InboxStore extends DeletableData {
  /** Notes that the run is about to start. A repeated call changes nothing. */
  watch(entry: InboxEntryKey, expiry: Expiry): Promise<void>;
  /** In the order of the entries, at most `MAX_COMMIT_ROWS`; undefined for one without a note. */
  read(entries: readonly InboxEntryKey[]): Promise<readonly (InboxNote | undefined)[]>;
  /** Returns the claim that counts then: of somebody else, if that one holds. A repeated claim is extended. */
  claim(entry: InboxEntryKey, request: ClaimRequest): Promise<InboxClaim>;
  /** Removes the claim, if it is of `by`. If somebody else's claim holds, returns it. */
  release(entry: InboxEntryKey, by: string, nowMs: number): Promise<InboxClaim | undefined>;
  /** Removes the claim, whoever has it. */
  drop(entry: InboxEntryKey): Promise<void>;

  /** The first entries in the order of their times, with those that a process has and future ones. */
  listDue(limit: number): Promise<readonly DueEntry[]>;
  /** Leases the entry until then. Undefined if another process has it, or its time has changed. */
  take(due: DueEntry, untilMs: number): Promise<TakenEntry | undefined>;
  /** Gives the entry back until `nextMs`; undefined: its question is over, and only a claim that holds is kept. */
  settle(taken: TakenEntry, nextMs: number | undefined, nowMs: number): Promise<void>;
}

/** Whether the claim is of somebody else, and still counts. */
export function isClaimedByOther(claim: InboxClaim | undefined, by: string, nowMs: number): claim is InboxClaim {
  return claim !== undefined && claim.by !== by && claim.untilMs > nowMs;
}
