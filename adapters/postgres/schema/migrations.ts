import type { Migration } from "#ports/rows/migrations.ts";
import { STREAM_FUNCTIONS } from "./stream-functions.ts";
import { FUNCTION_RIGHTS, TRANSPORT_FUNCTIONS } from "./transport-functions.ts";
import { TRANSPORT_TABLES } from "./transport-tables.ts";

/**
 * Names, ids and keys are compared by their bytes, as everywhere in the kit (`COLLATE "C"`). Times are milliseconds.
 * Content is text and not `jsonb`, because it can be encrypted, and because it is returned as it was written.
 *
 * `sessions` is rewritten with each append. No index has a column that an append changes, but for the time in steps of
 * ten seconds, so that the new version of a row usually stays in its page and no index is written.
 */
const TABLES = `
  CREATE SEQUENCE fairlead.session_ids;
  CREATE SEQUENCE fairlead.versions;

  CREATE TABLE fairlead.sessions (
    sid bigint PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    app_name text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    incarnation text NOT NULL,
    version bigint NOT NULL,
    revision bigint NOT NULL,
    update_time double precision NOT NULL,
    update_step double precision NOT NULL GENERATED ALWAYS AS (floor(update_time / 10000)) STORED,
    closed_time double precision,
    epoch bigint NOT NULL,
    lease_expires double precision,
    history_start text,
    -- Of the session's newest run.
    agent_revision text COLLATE "C",
    awaiting text,
    stored_bytes bigint NOT NULL,
    counted_in text NOT NULL,
    UNIQUE (tenant_id, user_id, app_name, id)
  ) WITH (fillfactor = 50);
  -- For lists alone, which name the condition: it is true of all rows. Otherwise a server without statistics, or of users
  -- with few sessions, finds a session by its id among all of its user's in this index.
  CREATE INDEX sessions_listed ON fairlead.sessions (tenant_id, user_id, app_name, update_step DESC)
    WITH (fillfactor = 80) WHERE update_step >= 0;

  CREATE TABLE fairlead.events (
    sid bigint NOT NULL,
    sequence bigint NOT NULL,
    -- JSON of its id, invocation id and author.
    header text NOT NULL,
    timestamp double precision NOT NULL,
    has_delta boolean NOT NULL,
    -- A digest of its id, if no run wrote the event.
    outside_id text COLLATE "C",
    json text NOT NULL,
    PRIMARY KEY (sid, sequence)
  );
  CREATE INDEX events_outside ON fairlead.events (sid, outside_id) WHERE outside_id IS NOT NULL;

  CREATE TABLE fairlead.runs (
    number bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text COLLATE "C" NOT NULL,
    app_name text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    sid bigint NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C",
    status text NOT NULL,
    is_open boolean NOT NULL,
    holder text,
    created_time double precision NOT NULL,
    finished_time double precision,
    answered_by text,
    -- Of the JSON, as SessionHead.storedBytes counts them.
    request_bytes bigint NOT NULL,
    -- JSON of all other members but the request and the error.
    record text NOT NULL,
    request text NOT NULL,
    error text,
    PRIMARY KEY (tenant_id, number),
    UNIQUE (tenant_id, run_id)
  ) WITH (fillfactor = 80);
  CREATE INDEX runs_of_session ON fairlead.runs (sid, number);
  CREATE INDEX runs_of_user ON fairlead.runs (tenant_id, user_id, number);
  CREATE INDEX runs_open ON fairlead.runs (sid, number) WHERE is_open;
  CREATE INDEX runs_awaiting ON fairlead.runs (tenant_id, number) WHERE status = 'awaiting_input' AND answered_by IS NULL;
  CREATE UNIQUE INDEX runs_keyed ON fairlead.runs (sid, idempotency_key) WHERE idempotency_key IS NOT NULL;

  -- The keys of states are JSON texts, which can have any character. A key that is too long for an index is a digest, and
  -- long_key has the text.
  CREATE TABLE fairlead.session_state (
    sid bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    long_key text,
    value text NOT NULL,
    PRIMARY KEY (sid, key)
  ) WITH (fillfactor = 80);
  -- The states of users, and of apps, whose user_id is empty.
  CREATE TABLE fairlead.shared_state (
    tenant_id text COLLATE "C" NOT NULL,
    app_name text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    long_key text,
    value text NOT NULL,
    PRIMARY KEY (tenant_id, user_id, app_name, key)
  ) WITH (fillfactor = 80);

  -- What is stored of a kind: sessions, memory.
  CREATE TABLE fairlead.stored_counts (
    tenant_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    scope text NOT NULL,
    name text COLLATE "C" NOT NULL,
    items bigint NOT NULL,
    bytes bigint NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (tenant_id, kind, scope, name)
  ) WITH (fillfactor = 50);
  -- The deletions that have not ended. user_id is empty for a whole tenant.
  CREATE TABLE fairlead.data_deletions (
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    started double precision NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
  );
  -- Deleted sessions that still have events, which are removed in pages.
  CREATE TABLE fairlead.removed_sessions (sid bigint PRIMARY KEY);

  CREATE TABLE fairlead.rows (
    name text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (name, key)
  );

  CREATE TABLE fairlead.memory_scopes (
    scope_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    app_name text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    UNIQUE (tenant_id, user_id, app_name)
  );
  CREATE TABLE fairlead.memory_entries (
    row_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope_id bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    -- A digest of the id, which can have any length, and the id as JSON.
    digest text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    time_ms double precision NOT NULL,
    -- The words that the kit finds in the text, each with the number of the scope before it, so that a search looks at
    -- the entries of its scope alone. Empty if the entry is encrypted.
    words text[] COLLATE "C" NOT NULL,
    -- For the search by meaning: a vector, and what it can be compared with. Not of the type of the extension for vectors,
    -- which a database may lack, or get later.
    embedding real[],
    embedded_by text COLLATE "C",
    counted_in text NOT NULL,
    json text NOT NULL,
    UNIQUE (scope_id, session_id, digest)
  );
  -- Such numbers cannot be compressed.
  ALTER TABLE fairlead.memory_entries ALTER COLUMN embedding SET STORAGE EXTERNAL;
  CREATE INDEX memory_newest ON fairlead.memory_entries (scope_id, time_ms DESC, row_id DESC);
  CREATE INDEX memory_words ON fairlead.memory_entries USING gin (words) WITH (fastupdate = off);

  CREATE TABLE fairlead.audit_records (
    chain text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (chain, seq)
  );
  -- The newest record that each chain must have.
  CREATE TABLE fairlead.audit_chains (
    chain text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL,
    sha256 text NOT NULL
  ) WITH (fillfactor = 50);
`;

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: "all stores",
    oldest: 1,
    sql: TABLES + TRANSPORT_TABLES + TRANSPORT_FUNCTIONS + STREAM_FUNCTIONS + FUNCTION_RIGHTS,
  },
];
