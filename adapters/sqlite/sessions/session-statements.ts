import type { DatabaseSync } from "node:sqlite";

const RUN_WITH_KEY = `
  SELECT runs.*, sessions.app_name, sessions.user_id, sessions.id
  FROM runs JOIN sessions ON sessions.sid = runs.sid`;

/** As in `isListed`: no status matches a run that was answered. */
const STATUS_MATCHES = "(?3 IS NULL OR (answered_by IS NULL AND status IN (SELECT value FROM json_each(?3))))";

/** The statements of the session tables, compiled once. */
export function prepareSessionStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    findSession: prepare("SELECT * FROM sessions WHERE tenant_id = ? AND app_name = ? AND user_id = ? AND id = ?"),
    insertSession: prepare(
      `INSERT INTO sessions (tenant_id, app_name, user_id, id, revision, update_time, epoch)
       VALUES (?, ?, ?, ?, 0, ?, 0)`,
    ),
    saveSession: prepare(
      `UPDATE sessions SET revision = ?, update_time = ?, closed_time = ?, epoch = ?, lease_expires = ?,
         stored_bytes = ?, counted_in = ?, agent_revision = ?
       WHERE sid = ?`,
    ),
    saveHistoryStart: prepare("UPDATE sessions SET history_start = ? WHERE sid = ?"),
    deleteSession: prepare("DELETE FROM sessions WHERE sid = ?"),
    listSessions: prepare(
      // The key's other columns are known, and each column of a row costs as much as the row itself.
      `SELECT sessions.sid, id, revision, update_time, closed_time, epoch, history_start, agent_revision, stored_bytes,
         counted_in,
         octet_length(state) AS state_bytes, CASE WHEN octet_length(state) <= ?8 THEN state END AS state
       FROM sessions LEFT JOIN session_state ON session_state.sid = sessions.sid
       WHERE tenant_id = ?7 AND app_name = ?1 AND user_id = ?2 AND substr(id, 1, length(?3)) <> ?3
         AND (?4 IS NULL OR update_time < ?4 OR (update_time = ?4 AND id > ?5))
       ORDER BY update_time DESC, id LIMIT ?6`,
    ),

    // In the order of their numbers, which updates do not change.
    walkSessions: prepare(
      "SELECT sid, tenant_id, app_name, user_id, id, update_time FROM sessions WHERE sid > ? ORDER BY sid LIMIT ?",
    ),

    findStored: prepare(
      "SELECT sessions, stored_bytes FROM stored_counts WHERE tenant_id = ? AND scope = ? AND name = ?",
    ),
    addStored: prepare(
      `INSERT INTO stored_counts (tenant_id, scope, name, sessions, stored_bytes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET
         sessions = sessions + excluded.sessions, stored_bytes = stored_bytes + excluded.stored_bytes`,
    ),
    deleteStored: prepare("DELETE FROM stored_counts WHERE tenant_id = ? AND scope = ? AND name = ? AND sessions = 0"),

    findState: prepare("SELECT state FROM session_state WHERE sid = ?"),
    saveState: prepare("INSERT OR REPLACE INTO session_state (sid, state) VALUES (?, ?)"),
    deleteState: prepare("DELETE FROM session_state WHERE sid = ?"),
    findAppState: prepare("SELECT key, value FROM app_state WHERE tenant_id = ? AND app_name = ?"),
    saveAppKey: prepare("INSERT OR REPLACE INTO app_state (tenant_id, app_name, key, value) VALUES (?, ?, ?, ?)"),
    deleteAppKey: prepare("DELETE FROM app_state WHERE tenant_id = ? AND app_name = ? AND key = ?"),
    findUserState: prepare("SELECT key, value FROM user_state WHERE tenant_id = ? AND app_name = ? AND user_id = ?"),
    saveUserKey: prepare(
      "INSERT OR REPLACE INTO user_state (tenant_id, app_name, user_id, key, value) VALUES (?, ?, ?, ?, ?)",
    ),
    deleteUserKey: prepare("DELETE FROM user_state WHERE tenant_id = ? AND app_name = ? AND user_id = ? AND key = ?"),

    insertEvent: prepare(
      `INSERT INTO events (key, id, invocation_id, author, timestamp, has_delta, outside, json)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    events: prepare(
      `SELECT key, id, invocation_id, author, timestamp, has_delta, outside, json
       FROM events WHERE key > ? AND key <= ? ORDER BY key LIMIT ?`,
    ),
    // The length of a text is read without the text.
    eventsSince: prepare(
      `SELECT key, id, invocation_id, author, timestamp, has_delta, outside,
              CASE WHEN octet_length(json) <= ? THEN json ELSE octet_length(json) END AS json
       FROM events WHERE key > ? AND key <= ? AND timestamp >= ? ORDER BY key`,
    ),
    eventsAt: prepare(
      `SELECT key, id, invocation_id, author, timestamp, has_delta, outside, json
       FROM events WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key`,
    ),
    findOutsideEvent: prepare("SELECT 1 FROM events WHERE outside = 1 AND id = ? AND key > ? AND key <= ?"),
    deleteEvents: prepare("DELETE FROM events WHERE key > ? AND key <= ?"),

    insertRun: prepare(
      `INSERT INTO runs (tenant_id, run_id, sid, status, attempts, epoch, holder, lease_expires, started_time,
         cancel_requested, base_revision, invocation_id, policy, created_time, deadline, idempotency_key, stream_key,
         agent_revision, request_bytes, request)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateRun: prepare(
      `UPDATE runs SET status = ?, attempts = ?, epoch = ?, holder = ?, lease_expires = ?, started_time = ?,
         finished_time = ?, cancel_requested = ?, base_revision = ?, usage = ?, error = ?, handovers = ?,
         agent_revision = ?
       WHERE tenant_id = ? AND run_id = ?`,
    ),
    saveAnswer: prepare("UPDATE runs SET answered_by = ? WHERE tenant_id = ? AND run_id = ?"),
    awaitingRuns: prepare(
      `SELECT run_id, invocation_id FROM runs
       WHERE sid = ? AND status = 'awaiting_input' AND answered_by IS NULL ORDER BY number DESC LIMIT ?`,
    ),
    findRun: prepare(`${RUN_WITH_KEY} WHERE runs.tenant_id = ? AND run_id = ?`),
    findRunByIdempotencyKey: prepare(`${RUN_WITH_KEY} WHERE runs.sid = ? AND idempotency_key = ?`),
    openRuns: prepare("SELECT * FROM runs WHERE sid = ? AND finished_time IS NULL ORDER BY number"),
    deleteRuns: prepare("DELETE FROM runs WHERE sid = ?"),
    listRuns: prepare(
      `${RUN_WITH_KEY}
       WHERE runs.tenant_id = ?5 AND number < ?1 AND (?2 IS NULL OR app_name = ?2) AND ${STATUS_MATCHES}
       ORDER BY number DESC LIMIT ?4`,
    ),
    // By an index of the tenants other than `default`, which has most of the runs.
    listRunsOfTenant: prepare(
      `${RUN_WITH_KEY}
       WHERE runs.tenant_id = ?5 AND runs.tenant_id <> 'default' AND number < ?1 AND (?2 IS NULL OR app_name = ?2)
         AND ${STATUS_MATCHES}
       ORDER BY number DESC LIMIT ?4`,
    ),
    listOpenRuns: prepare(
      `${RUN_WITH_KEY}
       WHERE finished_time IS NULL AND runs.tenant_id = ?5 AND number < ?1 AND (?2 IS NULL OR app_name = ?2)
         AND ${STATUS_MATCHES}
       ORDER BY number DESC LIMIT ?4`,
    ),
    // Selects the numbers first: only the rows of the page are read completely.
    listRunsOfUser: prepare(
      `${RUN_WITH_KEY}
       WHERE number IN (
         SELECT number FROM runs
         WHERE sid IN (
           SELECT sid FROM sessions WHERE tenant_id = ?5 AND user_id = ?6 AND (?2 IS NULL OR app_name = ?2)
         )
           AND number < ?1 AND ${STATUS_MATCHES}
         ORDER BY number DESC LIMIT ?4
       )
       ORDER BY number DESC`,
    ),
    listAwaitingRuns: prepare(
      `${RUN_WITH_KEY}
       WHERE status = 'awaiting_input' AND answered_by IS NULL AND runs.tenant_id = ?5 AND number < ?1
         AND (?2 IS NULL OR app_name = ?2)
         AND ${STATUS_MATCHES}
       ORDER BY number DESC LIMIT ?4`,
    ),
    listAbandonedRuns: prepare(
      `${RUN_WITH_KEY}
       WHERE finished_time IS NULL
         AND (holder = ?3 OR created_time <= ?2
           AND (holder IS NULL OR max(ifnull(runs.lease_expires, 0), ifnull(sessions.lease_expires, 0)) <= ?1))
         AND NOT EXISTS (
           SELECT 1 FROM runs AS ahead
           WHERE ahead.sid = runs.sid AND ahead.finished_time IS NULL AND ahead.number < runs.number
         )
       ORDER BY number`,
    ),
    listRunsOfSession: prepare(
      `${RUN_WITH_KEY}
       WHERE runs.sid = ?6 AND runs.tenant_id = ?5 AND number < ?1 AND (?2 IS NULL OR app_name = ?2)
         AND ${STATUS_MATCHES}
       ORDER BY number DESC LIMIT ?4`,
    ),
  };
}

export type SessionStatements = ReturnType<typeof prepareSessionStatements>;
