/**
 * Puts the tenant into each key. Everything that a file had before is of the tenant `default`. The keys of a table cannot
 * be altered, so the tables are copied; the counter of AUTOINCREMENT is kept, because no session's number is used twice.
 */
export const TENANT_MIGRATION = `
  CREATE TABLE tenant_sessions (
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
    load_bound TEXT,
    UNIQUE (tenant_id, app_name, user_id, id)
  );
  INSERT INTO tenant_sessions (
    sid, tenant_id, app_name, user_id, id, revision, update_time, closed_time, epoch, lease_expires, load_bound
  )
  SELECT
    sid, 'default', app_name, user_id, id, revision, update_time, closed_time, epoch, lease_expires, load_bound
  FROM sessions;
  DELETE FROM sqlite_sequence WHERE name = 'tenant_sessions';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'tenant_sessions', seq FROM sqlite_sequence WHERE name = 'sessions';
  DROP TABLE sessions;
  ALTER TABLE tenant_sessions RENAME TO sessions;
  CREATE INDEX sessions_of_user ON sessions (tenant_id, user_id);

  CREATE TABLE tenant_app_state (
    tenant_id TEXT NOT NULL, app_name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (tenant_id, app_name, key)
  ) WITHOUT ROWID;
  INSERT INTO tenant_app_state (tenant_id, app_name, key, value)
  SELECT 'default', app_name, key, value FROM app_state;
  DROP TABLE app_state;
  ALTER TABLE tenant_app_state RENAME TO app_state;
  CREATE TABLE tenant_user_state (
    tenant_id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL, key TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (tenant_id, app_name, user_id, key)
  ) WITHOUT ROWID;
  INSERT INTO tenant_user_state (tenant_id, app_name, user_id, key, value)
  SELECT 'default', app_name, user_id, key, value FROM user_state;
  DROP TABLE user_state;
  ALTER TABLE tenant_user_state RENAME TO user_state;

  CREATE TABLE tenant_runs (
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
    answered_by TEXT,
    request TEXT NOT NULL,
    UNIQUE (tenant_id, run_id)
  );
  INSERT INTO tenant_runs (
    number, tenant_id, run_id, sid, status, attempts, handovers, epoch, holder, lease_expires, started_time,
    finished_time, cancel_requested, base_revision, usage, error, invocation_id, policy, created_time, deadline,
    idempotency_key, answered_by, request
  )
  SELECT
    number, 'default', run_id, sid, status, attempts, handovers, epoch, holder, lease_expires, started_time, finished_time,
    cancel_requested, base_revision, usage, error, invocation_id, policy, created_time, deadline, idempotency_key,
    answered_by, request
  FROM runs;
  DROP TABLE runs;
  ALTER TABLE tenant_runs RENAME TO runs;
  CREATE INDEX runs_of_session ON runs (sid);
  CREATE INDEX runs_open ON runs (sid) WHERE finished_time IS NULL;
  CREATE UNIQUE INDEX runs_idempotency ON runs (sid, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX runs_awaiting ON runs (sid) WHERE status = 'awaiting_input' AND answered_by IS NULL;
  CREATE INDEX runs_of_tenant ON runs (tenant_id) WHERE tenant_id <> 'default';
`;
