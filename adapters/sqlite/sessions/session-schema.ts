import type { Migration } from "#ports/rows/migrations.ts";

/**
 * Sessions are numbered (`sid`, never used twice), and an event's key is `sid * 2^24 + sequence`. The table is in the
 * order of writing: fifty sessions that get one event each fill a page or two, and not fifty. An index finds the keys.
 * That allows 16,777,215 events for each session and, because keys are exact JavaScript numbers, 536,870,911 sessions
 * during the life of a file. The state is separate from the session's row, because that row is rewritten with every
 * append.
 */
const TABLES = `
  CREATE TABLE sessions (
    sid INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    update_time INTEGER NOT NULL,
    closed_time INTEGER,
    epoch INTEGER NOT NULL,
    lease_expires INTEGER,
    -- JSON of a HistoryStart; null if all events are needed.
    history_start TEXT,
    -- Of the session's newest run.
    agent_revision TEXT,
    -- As SessionHead.storedBytes counts them, and the scopes of the counts that include them.
    stored_bytes INTEGER NOT NULL DEFAULT 0,
    counted_in TEXT NOT NULL DEFAULT '',
    UNIQUE (tenant_id, app_name, user_id, id)
  );
  CREATE INDEX sessions_of_user ON sessions (tenant_id, user_id);
  CREATE TABLE session_state (sid INTEGER PRIMARY KEY, state TEXT NOT NULL);
  CREATE TABLE app_state (
    tenant_id TEXT NOT NULL, app_name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (tenant_id, app_name, key)
  ) WITHOUT ROWID;
  CREATE TABLE user_state (
    tenant_id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (tenant_id, app_name, user_id, key)
  ) WITHOUT ROWID;
  CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    key INTEGER NOT NULL UNIQUE,
    id TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    author TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    has_delta INTEGER NOT NULL,
    outside INTEGER NOT NULL,
    json TEXT NOT NULL
  );
  CREATE INDEX events_outside ON events (id) WHERE outside = 1;
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    sid INTEGER NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    handovers INTEGER NOT NULL DEFAULT 0,
    epoch INTEGER NOT NULL,
    holder TEXT,
    lease_expires INTEGER,
    started_time INTEGER,
    finished_time INTEGER,
    cancel_requested INTEGER NOT NULL,
    base_revision INTEGER NOT NULL,
    usage TEXT,
    error TEXT,
    invocation_id TEXT NOT NULL,
    policy TEXT NOT NULL,
    created_time INTEGER NOT NULL,
    deadline INTEGER,
    idempotency_key TEXT,
    -- The run that answered this one.
    answered_by TEXT,
    request_bytes INTEGER NOT NULL,
    request TEXT NOT NULL,
    -- Null for runs whose stream is kept under their id.
    stream_key TEXT,
    agent_revision TEXT,
    UNIQUE (tenant_id, run_id)
  );
  CREATE INDEX runs_of_session ON runs (sid);
  CREATE INDEX runs_open ON runs (sid) WHERE finished_time IS NULL;
  CREATE UNIQUE INDEX runs_idempotency ON runs (sid, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX runs_awaiting ON runs (sid) WHERE status = 'awaiting_input' AND answered_by IS NULL;
  CREATE INDEX runs_of_tenant ON runs (tenant_id) WHERE tenant_id <> 'default';
  CREATE TABLE stored_counts (
    tenant_id TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, sessions INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL, PRIMARY KEY (tenant_id, scope, name)
  ) WITHOUT ROWID;
  -- The deletions of tenants and users that have not ended. user_id is empty for a whole tenant.
  CREATE TABLE data_deletions (
    tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, started INTEGER NOT NULL, PRIMARY KEY (tenant_id, user_id)
  ) WITHOUT ROWID;
`;

export const SESSION_SCHEMA: readonly Migration[] = [{ number: 1, name: "sessions and runs", oldest: 1, sql: TABLES }];

const EVENT_KEYS_PER_SESSION = 2 ** 24;

export const MAX_EVENTS_PER_SESSION = EVENT_KEYS_PER_SESSION - 1;
export const MAX_SESSIONS = Math.floor(Number.MAX_SAFE_INTEGER / EVENT_KEYS_PER_SESSION);

export function eventKey(sid: number, sequence: number): number {
  return sid * EVENT_KEYS_PER_SESSION + sequence;
}

export function eventSequence(key: number): number {
  return key % EVENT_KEYS_PER_SESSION;
}
