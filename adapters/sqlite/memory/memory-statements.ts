import type { DatabaseSync, StatementSync } from "node:sqlite";
import { MAX_MEMORIES } from "#ports/memory/memory-records.ts";
import { MAX_OPENED_ENTRIES } from "#ports/memory/opened-entries.ts";
import type { Migration } from "#ports/rows/migrations.ts";

/**
 * The kit splits and folds the words, and each becomes one token of plain letters and digits in the index, so that all
 * stores find the same entries and no query can use the index's query language. A token that is not ASCII is stored as
 * `_` and hex; the scope's own token, `s_` and a number, limits every search to the scope's entries.
 */
const TABLES = `
  CREATE TABLE memory_scope (
    id INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL,
    UNIQUE (tenant_id, app_name, user_id)
  ) STRICT;
  CREATE TABLE memory_entry (
    row_id INTEGER PRIMARY KEY, scope_id INTEGER NOT NULL REFERENCES memory_scope (id), session_id TEXT NOT NULL,
    id TEXT NOT NULL, time_ms REAL NOT NULL, json TEXT NOT NULL, UNIQUE (scope_id, session_id, id)
  ) STRICT;
  CREATE VIRTUAL TABLE memory_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = none,
    tokenize = "unicode61 remove_diacritics 2 tokenchars '_'"
  );
`;

export const MEMORY_SCHEMA: readonly Migration[] = [{ number: 1, name: "memory", oldest: 1, sql: TABLES }];

/**
 * Counts for each entry how many of the words (one query each) it has. CROSS JOIN keeps the words as the outer loop.
 */
const SEARCH = `
  SELECT entry.json AS json
  FROM (
    SELECT found.rowid AS row_id, count(*) AS words
    FROM json_each(?) AS word CROSS JOIN memory_words AS found
    WHERE found.memory_words MATCH word.value
    GROUP BY found.rowid
  ) AS matched
  JOIN memory_entry AS entry ON entry.row_id = matched.row_id
  ORDER BY matched.words DESC, entry.time_ms DESC, entry.id, entry.session_id
  LIMIT ${MAX_MEMORIES}
`;

const ROW = "row_id, length(CAST(json AS BLOB)) AS bytes";

/** The stored amounts of each owner of a tenant. */
const STORED = `
  SELECT app_name, user_id, count(*) AS items, sum(length(CAST(json AS BLOB))) AS bytes
  FROM memory_entry AS entry JOIN memory_scope AS scope ON scope.id = entry.scope_id
  WHERE scope.tenant_id = ? GROUP BY scope.id
`;

const NEWEST = `
  SELECT json, time_ms, id, session_id FROM memory_entry WHERE scope_id = ?
  ORDER BY time_ms DESC, row_id DESC LIMIT ${MAX_OPENED_ENTRIES}
`;

const OWNED = `
  FROM memory_entry JOIN memory_scope ON memory_scope.id = memory_entry.scope_id
  WHERE tenant_id = ?1 AND (?2 IS NULL OR user_id = ?2)
`;

/** The statements of memory in SQLite. */
export function prepareMemoryStatements(database: DatabaseSync): Readonly<Record<StatementName, StatementSync>> {
  const removeWords = database.prepare("DELETE FROM memory_words WHERE rowid = ?");
  const removeEntry = database.prepare("DELETE FROM memory_entry WHERE row_id = ?");
  const removeScopes = database.prepare(
    "DELETE FROM memory_scope WHERE tenant_id = ?1 AND (?2 IS NULL OR user_id = ?2)",
  );
  // Removing words makes the index write rows of its own; run() reports the last one's id, which exceeds a JavaScript
  // number.
  for (const statement of [removeWords, removeEntry, removeScopes]) statement.setReadBigInts(true);
  return {
    findScope: database.prepare("SELECT id FROM memory_scope WHERE tenant_id = ? AND app_name = ? AND user_id = ?"),
    addScope: database.prepare("INSERT INTO memory_scope (tenant_id, app_name, user_id) VALUES (?, ?, ?)"),
    find: database.prepare(`SELECT ${ROW} FROM memory_entry WHERE scope_id = ? AND session_id = ? AND id = ?`),
    listSession: database.prepare(`SELECT ${ROW} FROM memory_entry WHERE scope_id = ? AND session_id = ?`),
    addEntry: database.prepare(
      "INSERT INTO memory_entry (scope_id, session_id, id, time_ms, json) VALUES (?, ?, ?, ?, ?)",
    ),
    addWords: database.prepare("INSERT INTO memory_words (rowid, words) VALUES (?, ?)"),
    removeEntry,
    removeWords,
    search: database.prepare(SEARCH),
    newest: database.prepare(NEWEST),
    stored: database.prepare(STORED),
    owned: database.prepare(
      `SELECT row_id, app_name, user_id, session_id, memory_entry.id AS id, json ${OWNED} AND row_id > ?3 ORDER BY row_id`,
    ),
    walk: database.prepare(
      `SELECT row_id, tenant_id, app_name, user_id, session_id, memory_entry.id AS id, time_ms
       FROM memory_entry JOIN memory_scope ON memory_scope.id = memory_entry.scope_id
       WHERE row_id > ? ORDER BY row_id LIMIT ?`,
    ),
    findOld: database.prepare(
      `SELECT ${ROW} FROM memory_entry WHERE scope_id = ? AND session_id = ? AND id = ? AND time_ms < ?`,
    ),
    someOwned: database.prepare(`SELECT app_name, user_id, ${ROW} ${OWNED} LIMIT ?3`),
    removeScopes,
  };
}

type StatementName =
  | "findScope"
  | "addScope"
  | "find"
  | "listSession"
  | "addEntry"
  | "addWords"
  | "removeEntry"
  | "removeWords"
  | "search"
  | "owned"
  | "walk"
  | "findOld"
  | "someOwned"
  | "removeScopes"
  | "newest"
  | "stored";
