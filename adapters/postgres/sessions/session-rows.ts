import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type NetworkHead, UNREAD_REQUEST } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import type { StorageScope } from "#ports/storage-limits/storage-limits.ts";

/** A session's number, which is never used again, and the number of its head's version. */
export interface HeadVersion {
  readonly sid: number;
  readonly number: number;
}

/** The version of a head or of a count, which the database compares. */
export type PostgresVersion = HeadVersion | number;
export type PostgresHead = NetworkHead<PostgresVersion>;

/** The number of a stored session. Throws for one that is only being created. */
export function sidOf(head: SessionHead): number {
  // The heads of operations are those that this store has answered.
  const { version } = head as PostgresHead;
  if (typeof version !== "object") throw new Error("The session is not stored yet.");
  return version.sid;
}

export interface SessionRow {
  readonly sid: number;
  readonly tenant_id: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly id: string;
  readonly incarnation: string;
  readonly version: number;
  readonly revision: number;
  readonly update_time: number;
  readonly closed_time: number | null;
  readonly epoch: number;
  readonly lease_expires: number | null;
  readonly history_start: string | null;
  readonly agent_revision: string | null;
  readonly awaiting: string | null;
  readonly stored_bytes: number;
  /** Names of scopes with commas between them. */
  readonly counted_in: string;
}

export interface RunRow {
  readonly number: number;
  readonly tenant_id: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly answered_by: string | null;
  readonly record: string;
  /** Null if it was not read. */
  readonly request: string | null;
  readonly error: string | null;
}

/** A key and a value, both JSON; the value may be encrypted. */
export type StateRow = readonly [key: string, value: string];

export interface EventRow {
  readonly sequence: number;
  readonly header: string;
  readonly timestamp: number;
  readonly has_delta: boolean;
  readonly is_outside: boolean;
  readonly json: string;
}

/** The head of a row, with its open runs, oldest first. */
export function toHead(
  row: SessionRow,
  runs: readonly RunRow[],
  state: readonly StateRow[] | null,
  content: SessionContent,
): PostgresHead {
  const key = toKey(row);
  const open = runs.map((run) => toRun(run, content));
  const run = open.find(({ holder }) => holder !== undefined);
  const { epoch, lease_expires: expiresAt } = row;
  return {
    key,
    incarnation: row.incarnation,
    version: { sid: row.sid, number: row.version },
    revision: row.revision,
    lastUpdateTime: row.update_time,
    closedTime: row.closed_time ?? undefined,
    epoch,
    active: run && {
      run,
      lease: { runId: run.runId, session: key, holder: run.holder ?? "", epoch: run.epoch, expiresAt: expiresAt ?? 0 },
    },
    pending: open.filter((one) => one !== run),
    // The JSON columns contain texts that `headRow` wrote from a head.
    awaiting: row.awaiting === null ? [] : JSON.parse(row.awaiting),
    historyStart: row.history_start === null ? undefined : JSON.parse(row.history_start),
    agentRevision: row.agent_revision ?? undefined,
    storedBytes: row.stored_bytes,
    countedIn: row.counted_in === "" ? [] : (row.counted_in.split(",") as StorageScope[]),
    openState: () => toState(state, (name, text) => content.openState(key, text, name)),
  };
}

export function toRun(row: RunRow, content: SessionContent): RunRecord {
  const session = toKey({ ...row, id: row.session_id });
  const open = (member: "request" | "error", text: string) =>
    JSON.parse(content.openOfRun(session, row.run_id, member, text));
  return {
    // Written by `runRow` from a RunRecord.
    ...JSON.parse(row.record),
    session,
    request: row.request === null ? UNREAD_REQUEST : open("request", row.request),
    error: row.error === null ? undefined : open("error", row.error),
    answeredBy: row.answered_by ?? undefined,
  };
}

export function toStoredEvent(row: EventRow, session: SessionKey, content: SessionContent): StoredEvent {
  const { sequence } = row;
  // Written by `eventRows`.
  const [id = "", invocationId = "", author = ""] = JSON.parse(row.header) as readonly string[];
  const event: StoredEvent = {
    id,
    invocationId,
    author,
    timestamp: row.timestamp,
    json: content.openEvent(session, sequence, row.json),
    sequence,
    outside: row.is_outside ? true : undefined,
  };
  return row.has_delta ? { ...event, stateDelta: fromEventRecord(event).actions.stateDelta } : event;
}

export function toState(rows: readonly StateRow[] | null, open: (key: string, text: string) => string): StateScope {
  const members = (rows ?? []).map(([name, text]) => `${name}:${open(keyOf(name), text)}`);
  return new StateScope(`{${members.join(",")}}`);
}

/** The key of a row of a state, which is stored as JSON. */
export function keyOf(name: string): string {
  // Written by JSON.stringify from a string.
  return JSON.parse(name) as string;
}

export function toKey({
  tenant_id,
  app_name,
  user_id,
  id,
}: Pick<SessionRow, "tenant_id" | "app_name" | "user_id" | "id">): SessionKey {
  return { ...inTenant(tenant_id), appName: app_name, userId: user_id, id };
}
