import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { ConcurrencyPolicy, RunError, RunRecord, RunRequest, RunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { AwaitingRun } from "#ports/sessions/awaiting-runs.ts";
import type { UnreadEvent } from "#ports/sessions/event-pages.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { StateScope } from "#ports/sessions/state-scope.ts";
import type { StorageScope } from "#ports/storage-limits/storage-limits.ts";
import { eventSequence } from "./session-schema.ts";

export interface SqliteHead extends SessionHead {
  readonly sid: number;
  /** Absent until it is read, and if it is too large to be kept in memory. */
  state: StateScope | undefined;
}

export interface SessionRow {
  readonly sid: number;
  readonly tenant_id: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly id: string;
  readonly revision: number;
  readonly update_time: number;
  readonly closed_time: number | null;
  readonly epoch: number;
  readonly lease_expires: number | null;
  readonly history_start: string | null;
  readonly agent_revision: string | null;
  readonly stored_bytes: number;
  /** Names of scopes with commas between them. */
  readonly counted_in: string;
}

/** A row of `stored_counts`. */
export interface StoredRow {
  readonly sessions: number;
  readonly stored_bytes: number;
}

/** The columns of a session without the rest of its key, which a list of one user knows. */
export type HeadRow = Omit<SessionRow, Exclude<keyof KeyColumns, "id"> | "lease_expires">;

export function toHead(row: HeadRow, key: SessionKey): SqliteHead {
  return {
    sid: row.sid,
    key,
    incarnation: String(row.sid),
    revision: row.revision,
    lastUpdateTime: row.update_time,
    closedTime: row.closed_time ?? undefined,
    epoch: row.epoch,
    active: undefined,
    pending: [],
    awaiting: [],
    agentRevision: row.agent_revision ?? undefined,
    // Written by saveHistoryStart.
    historyStart: row.history_start === null ? undefined : (JSON.parse(row.history_start) as HistoryStart),
    storedBytes: row.stored_bytes,
    // Written by the save of a head.
    countedIn: row.counted_in === "" ? [] : (row.counted_in.split(",") as StorageScope[]),
    state: undefined,
  };
}

/** Adds the session's unfinished runs, given oldest first, to its head. */
export function addOpenRuns(
  head: SqliteHead,
  leaseExpires: number | null,
  rows: readonly RunRow[],
  content: SessionContent,
): void {
  const pending: RunRecord[] = [];
  for (const row of rows) {
    const run = toRun(row, head.key, content);
    if (run.holder === undefined) {
      pending.push(run);
      continue;
    }
    const { runId, holder, epoch } = run;
    const expiresAt = Math.max(row.lease_expires ?? 0, leaseExpires ?? 0);
    head.active = { run, lease: { runId, session: head.key, holder, epoch, expiresAt } };
    head.epoch = Math.max(head.epoch, epoch);
    head.agentRevision = run.agentRevision ?? head.agentRevision;
  }
  head.pending = pending;
}

export interface AwaitingRow {
  readonly run_id: string;
  readonly invocation_id: string;
}

export function toAwaitingRun(row: AwaitingRow): AwaitingRun {
  return { runId: row.run_id, invocationId: row.invocation_id };
}

export interface EventRow {
  readonly key: number;
  readonly id: string;
  readonly invocation_id: string;
  readonly author: string;
  readonly timestamp: number;
  readonly has_delta: number;
  readonly outside: number;
  readonly json: string;
}

/** A row whose event may be too long to be read: `json` is its number of bytes then. */
export interface SizedEventRow extends Omit<EventRow, "json"> {
  readonly json: string | number;
}

/** The event of a row, unless it was too long to be read. */
export function sizedEvent(row: SizedEventRow, open: (row: EventRow) => StoredEvent): StoredEvent | UnreadEvent {
  return isRead(row) ? open(row) : { kind: "unread", characters: Number(row.json) };
}

function isRead(row: SizedEventRow): row is EventRow {
  return typeof row.json === "string";
}

export function toStoredEvent(row: EventRow, session: SessionKey, content: SessionContent): StoredEvent {
  const sequence = eventSequence(row.key);
  const event: StoredEvent = {
    id: row.id,
    invocationId: row.invocation_id,
    author: row.author,
    timestamp: row.timestamp,
    json: content.openEvent(session, sequence, row.json),
    sequence,
    outside: row.outside === 1 ? true : undefined,
  };
  return row.has_delta === 1 ? { ...event, stateDelta: fromEventRecord(event).actions.stateDelta } : event;
}

export interface RunRow {
  readonly number: number;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly attempts: number;
  readonly handovers: number;
  readonly epoch: number;
  readonly holder: string | null;
  readonly lease_expires: number | null;
  readonly started_time: number | null;
  readonly finished_time: number | null;
  readonly cancel_requested: number;
  readonly base_revision: number;
  readonly usage: string | null;
  readonly error: string | null;
  readonly invocation_id: string;
  readonly policy: ConcurrencyPolicy;
  readonly created_time: number;
  readonly deadline: number | null;
  readonly idempotency_key: string | null;
  readonly request: string;
  readonly answered_by: string | null;
  readonly stream_key: string | null;
  readonly agent_revision: string | null;
}

/** A run with the key of its session, from a join. */
export type KeyedRunRow = RunRow & KeyColumns;

export function toKeyedRun(row: KeyedRunRow, content: SessionContent): RunRecord {
  return toRun(row, toKey(row), content);
}

type KeyColumns = Pick<SessionRow, "tenant_id" | "app_name" | "user_id" | "id">;

export function toKey({ tenant_id, app_name, user_id, id }: KeyColumns): SessionKey {
  return { ...inTenant(tenant_id), appName: app_name, userId: user_id, id };
}

function toRun(row: RunRow, session: SessionKey, content: SessionContent): RunRecord {
  const open = (member: "request" | "error", text: string) => content.openOfRun(session, row.run_id, member, text);
  return {
    runId: row.run_id,
    session,
    invocationId: row.invocation_id,
    // The three JSON columns contain texts that insertRun and updateRun wrote from a RunRecord.
    request: JSON.parse(open("request", row.request)) as RunRequest,
    status: row.status,
    policy: row.policy,
    attempts: row.attempts,
    epoch: row.epoch,
    createdTime: row.created_time,
    cancelRequested: row.cancel_requested === 1,
    baseRevision: row.base_revision,
    handovers: row.handovers > 0 ? row.handovers : undefined,
    agentRevision: row.agent_revision !== null ? row.agent_revision : undefined,
    holder: row.holder !== null ? row.holder : undefined,
    startedTime: row.started_time !== null ? row.started_time : undefined,
    finishedTime: row.finished_time !== null ? row.finished_time : undefined,
    deadline: row.deadline !== null ? row.deadline : undefined,
    idempotencyKey: row.idempotency_key !== null ? row.idempotency_key : undefined,
    streamKey: row.stream_key !== null ? row.stream_key : undefined,
    usage: row.usage !== null ? (JSON.parse(row.usage) as NonNullable<RunRecord["usage"]>) : undefined,
    answeredBy: row.answered_by !== null ? row.answered_by : undefined,
    error: row.error !== null ? (JSON.parse(open("error", row.error)) as RunError) : undefined,
  };
}

/** The lease of a run is in its row while it holds the session. */
export function leaseExpiry({ active }: SqliteHead, run: RunRecord): number | null {
  return active?.run.runId === run.runId ? active.lease.expiresAt : null;
}

/** Identifiers have no control characters, so no two runs share a name. */
export function activeName({ runId }: RunRecord, tenant: TenantScoped): string {
  return `${tenantOf(tenant)}\n${runId}`;
}
