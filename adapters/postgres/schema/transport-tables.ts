/**
 * What runs need between services, in place of Redis. Data that go with time are in rings of three partitions: rows are
 * written to the partition of the moment, the next one is emptied as a whole, and none is vacuumed. Streams, traces, places
 * and reservations are not in the write-ahead log: a crash of the server empties them, as a restart of Redis would. Keys of
 * calls, amounts that were used and sign-in sessions that have ended survive it.
 *
 * The functions are what scripts are for Redis: one call decides and writes. Times are the server's own, in milliseconds.
 */
export const TRANSPORT_TABLES = `
  CREATE TABLE fairlead.stream_batches (
    slot smallint NOT NULL,
    stream text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    -- The number of the last entry.
    n bigint NOT NULL,
    -- The position before the first entry.
    link text NOT NULL,
    ended boolean NOT NULL,
    -- The size of all batches of the stream before this one and with it, and where those begin that are kept.
    starts bigint NOT NULL,
    ends bigint NOT NULL,
    kept_from bigint NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (stream, epoch, n, slot)
  ) PARTITION BY LIST (slot);
  ALTER TABLE fairlead.stream_batches ALTER COLUMN body SET STORAGE EXTERNAL;

  CREATE TABLE fairlead.trace_spans (
    slot smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    app_name text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    trace_id text COLLATE "C" NOT NULL,
    -- A digest of the id of the event that the span produced.
    event text COLLATE "C",
    start_time double precision NOT NULL,
    written bigint NOT NULL,
    place bigint NOT NULL,
    json text NOT NULL
  ) PARTITION BY LIST (slot);
  CREATE INDEX trace_spans_session ON fairlead.trace_spans (tenant_id, session_id);
  CREATE INDEX trace_spans_event ON fairlead.trace_spans (tenant_id, event) WHERE event IS NOT NULL;

  CREATE TABLE fairlead.idempotency_keys (
    slot smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    -- A digest of the key.
    key text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    answer text,
    claim_id text,
    expires bigint NOT NULL,
    PRIMARY KEY (tenant_id, key, slot)
  ) PARTITION BY LIST (slot);

  CREATE TABLE fairlead.quota_settled (
    slot smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, id, slot)
  ) PARTITION BY LIST (slot);

  DO $make$
  DECLARE ring record; slot integer;
  BEGIN
    FOR ring IN VALUES ('stream_batches', 'UNLOGGED'), ('trace_spans', 'UNLOGGED'), ('idempotency_keys', ''), ('quota_settled', '')
    LOOP
      FOR slot IN 0..2 LOOP
        EXECUTE format('CREATE %s TABLE fairlead.%I PARTITION OF fairlead.%I FOR VALUES IN (%s) WITH '
          || '(autovacuum_enabled = off, toast.autovacuum_enabled = off)', ring.column2, ring.column1 || '_' || slot, ring.column1, slot);
      END LOOP;
    END LOOP;
  END $make$;

  CREATE TABLE fairlead.ended_sessions (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  CREATE TABLE fairlead.quota_counts (
    tenant_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    duration text NOT NULL,
    starts bigint NOT NULL,
    ends bigint NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (tenant_id, name, duration)
  ) WITH (fillfactor = 50);
  CREATE UNLOGGED TABLE fairlead.quota_reservations (
    tenant_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    duration text NOT NULL,
    id text COLLATE "C" NOT NULL,
    amount bigint NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (tenant_id, name, duration, id)
  ) WITH (fillfactor = 50);
  CREATE UNLOGGED TABLE fairlead.run_places (
    tenant_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (tenant_id, name, id)
  ) WITH (fillfactor = 50);
  CREATE UNLOGGED TABLE fairlead.run_place_queue (
    tenant_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (tenant_id, name, id)
  ) WITH (fillfactor = 50);
  -- Since when the places of a tenant are counted.
  CREATE UNLOGGED TABLE fairlead.run_places_since (
    tenant_id text COLLATE "C" PRIMARY KEY,
    since bigint NOT NULL,
    expires bigint NOT NULL
  ) WITH (fillfactor = 50);
`;
