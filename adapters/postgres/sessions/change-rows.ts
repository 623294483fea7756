import { createHash } from "node:crypto";
import { tenantOf } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RunChange, SessionChange } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { PostgresHead, PostgresVersion } from "./session-rows.ts";

export type Change = SessionChange<PostgresVersion>;

/** The rows that a change of one session writes, with their content encrypted: a statement joins the rows of many changes. */
export type ChangeRows = ReturnType<typeof toChangeRows>;

/** The longest key of a state, in characters of its JSON, that is indexed as it is. */
const MAX_INDEXED_KEY = 500;

/** Throws `MissingContentKey`, before anything of the change is written. */
export function toChangeRows(change: Change, content: SessionContent) {
  const { kind, head, counts } = change;
  const isKept = kind !== "delete";
  const runs = isKept ? joinRuns(change.runs) : [];
  return {
    kind,
    head: headRow(head),
    events: isKept ? eventRows(change, content) : [],
    addedRuns: runs.flatMap(({ isNew, run, answeredBy }) =>
      isNew && run ? [newRunRow(run, answeredBy, content)] : [],
    ),
    changedRuns: runs.flatMap(({ isNew, run }) => (!isNew && run ? [runRow(run, content)] : [])),
    answeredRuns: runs.flatMap(({ runId, isNew, answeredBy }) =>
      isNew || answeredBy === undefined
        ? []
        : [{ tenant_id: tenantOf(head.key), run_id: runId, answered_by: answeredBy }],
    ),
    deletedRuns: isKept ? deletedRunRows(change) : [],
    state: isKept ? stateRows(change.state, (key, json) => content.sealState(head.key, json, key)) : [],
    shared: isKept ? sharedRows(change, content) : [],
    counts: counts.map(({ count, change: { sessions, storedBytes }, expect }) => {
      const { scope, name } = count;
      return { tenant_id: tenantOf(count), scope, name, items: sessions, bytes: storedBytes, expect };
    }),
  };
}

function headRow(head: PostgresHead) {
  const { key, version, active, awaiting, historyStart } = head;
  return {
    // Without them only for a new session.
    ...(typeof version === "object" ? version : { sid: null, number: null }),
    tenant_id: tenantOf(key),
    app_name: key.appName,
    user_id: key.userId,
    id: key.id,
    incarnation: head.incarnation,
    revision: head.revision,
    update_time: head.lastUpdateTime,
    closed_time: head.closedTime ?? null,
    epoch: head.epoch,
    lease_expires: active?.lease.expiresAt ?? null,
    history_start: historyStart === undefined ? null : JSON.stringify(historyStart),
    agent_revision: head.agentRevision ?? null,
    awaiting: awaiting.length === 0 ? null : JSON.stringify(awaiting),
    stored_bytes: head.storedBytes,
    counted_in: head.countedIn.join(","),
  };
}

function eventRows({ head, events }: Change, content: SessionContent) {
  return events.map(({ sequence, id, invocationId, author, timestamp, outside, stateDelta, json }) => ({
    sequence,
    header: JSON.stringify([id, invocationId, author]),
    timestamp,
    has_delta: stateDelta !== undefined,
    outside_id: outside === true ? outsideId(id) : null,
    json: content.sealEvent(head.key, sequence, json),
  }));
}

/** Ids of events can have any length and character. */
export function outsideId(eventId: string): string {
  return createHash("sha256").update(JSON.stringify(eventId)).digest("base64url");
}

/** Everything that a change does to one run. */
interface JoinedRun {
  readonly runId: string;
  isNew: boolean;
  run?: RunRecord;
  answeredBy?: string;
}

function joinRuns(changes: readonly RunChange[]): readonly JoinedRun[] {
  const joined = new Map<string, JoinedRun>();
  for (const change of changes) {
    if (change.kind === "delete") continue;
    const runId = change.kind === "answer" ? change.runId : change.run.runId;
    const known = joined.get(runId) ?? { runId, isNew: false };
    joined.set(runId, known);
    if (change.kind === "answer") known.answeredBy = change.answeredBy;
    else known.run = change.run;
    if (change.kind === "insert") known.isNew = true;
  }
  return [...joined.values()];
}

function deletedRunRows({ head, runs }: Change) {
  const tenant_id = tenantOf(head.key);
  return runs.flatMap((change) => (change.kind === "delete" ? [{ tenant_id, run_id: change.run.runId }] : []));
}

function newRunRow(run: RunRecord, answeredBy: string | undefined, content: SessionContent) {
  const { session, runId } = run;
  const request = JSON.stringify(run.request);
  return {
    ...runRow(run, content),
    app_name: session.appName,
    user_id: session.userId,
    session_id: session.id,
    idempotency_key: run.idempotencyKey ?? null,
    created_time: run.createdTime,
    answered_by: answeredBy ?? null,
    request_bytes: Buffer.byteLength(request),
    request: content.sealOfRun(session, runId, "request", request),
  };
}

/** The columns of a run that change. */
function runRow(
  { session, request: _, error, answeredBy: _answeredBy, ...record }: RunRecord,
  content: SessionContent,
) {
  const { runId, status, holder, finishedTime } = record;
  return {
    tenant_id: tenantOf(session),
    run_id: runId,
    status,
    is_open: finishedTime === undefined,
    holder: holder ?? null,
    finished_time: finishedTime ?? null,
    record: JSON.stringify(record),
    error: error === undefined ? null : content.sealOfRun(session, runId, "error", JSON.stringify(error)),
  };
}

function sharedRows({ head: { key: owner }, app, user }: Change, content: SessionContent) {
  const rowsOf = (scope: "app" | "user", delta: JsonObject) =>
    stateRows(delta, (key, json) => content.sealShared(scope, owner, key, json)).map((row) => ({
      tenant_id: tenantOf(owner),
      app_name: owner.appName,
      user_id: scope === "app" ? "" : owner.userId,
      ...row,
    }));
  return [...rowsOf("app", app), ...rowsOf("user", user)];
}

function stateRows(delta: JsonObject, seal: (key: string, json: string) => string) {
  return Object.entries(delta).map(([key, value]) => {
    const json = JSON.stringify(key);
    const isLong = json.length > MAX_INDEXED_KEY;
    return {
      key: isLong ? createHash("sha256").update(json).digest("base64url") : json,
      long_key: isLong ? json : null,
      value: value === null ? null : seal(key, JSON.stringify(value)),
    };
  });
}
