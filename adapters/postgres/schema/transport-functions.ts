/**
 * Executed with the rights of the schema's owner: a role that may call a function needs no right to its tables, so that
 * runners, in which agents execute, can read only the streams whose names they know.
 */
export const AS_OWNER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp";

/** The functions of the tables in `transport-tables.ts`. */
export const TRANSPORT_FUNCTIONS = `
  CREATE FUNCTION fairlead.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
  $$;

  -- The partition of a ring that is written now.
  CREATE FUNCTION fairlead.slot(seconds integer) RETURNS smallint LANGUAGE sql VOLATILE AS $$
    SELECT (floor(extract(epoch FROM clock_timestamp()) / seconds)::bigint % 3)::smallint
  $$;

  -- Empties the partitions that are written next, and deletes what has expired. Only in the first half of a slot, because
  -- the next partition must not be written yet; a partition that is locked waits for the next call.
  CREATE FUNCTION fairlead.empty_slots_after(now bigint) RETURNS void LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '200ms' AS $$
  DECLARE ring record; next_one text; is_used boolean;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('fairlead.slots', 0)) THEN RETURN; END IF;
    FOR ring IN VALUES ('stream_batches', 300), ('quota_settled', 600), ('trace_spans', 3600), ('idempotency_keys', 86400)
    LOOP
      CONTINUE WHEN now % (ring.column2 * 1000) > ring.column2 * 500;
      next_one := ring.column1 || '_' || (now / 1000 / ring.column2 + 1) % 3;
      EXECUTE format('SELECT EXISTS (SELECT FROM fairlead.%I)', next_one) INTO is_used;
      CONTINUE WHEN NOT is_used;
      BEGIN
        EXECUTE format('TRUNCATE fairlead.%I', next_one);
      EXCEPTION WHEN lock_not_available THEN NULL;
      END;
    END LOOP;
    DELETE FROM fairlead.ended_sessions WHERE (tenant_id, id) IN
      (SELECT tenant_id, id FROM fairlead.ended_sessions WHERE expires <= now LIMIT 1000 FOR UPDATE SKIP LOCKED);
    DELETE FROM fairlead.quota_counts WHERE (tenant_id, name, duration) IN
      (SELECT tenant_id, name, duration FROM fairlead.quota_counts WHERE ends < now - 86400000 LIMIT 1000 FOR UPDATE SKIP LOCKED);
    DELETE FROM fairlead.quota_reservations WHERE (tenant_id, name, duration, id) IN
      (SELECT tenant_id, name, duration, id FROM fairlead.quota_reservations WHERE expires <= now LIMIT 1000 FOR UPDATE SKIP LOCKED);
    DELETE FROM fairlead.run_places WHERE (tenant_id, name, id) IN
      (SELECT tenant_id, name, id FROM fairlead.run_places WHERE expires <= now LIMIT 1000 FOR UPDATE SKIP LOCKED);
    DELETE FROM fairlead.run_place_queue WHERE (tenant_id, name, id) IN
      (SELECT tenant_id, name, id FROM fairlead.run_place_queue WHERE expires <= now LIMIT 1000 FOR UPDATE SKIP LOCKED);
    DELETE FROM fairlead.run_places_since WHERE tenant_id IN
      (SELECT tenant_id FROM fairlead.run_places_since WHERE expires <= now LIMIT 1000 FOR UPDATE SKIP LOCKED);
  END $$;

  CREATE FUNCTION fairlead.empty_next_slots() RETURNS void LANGUAGE sql ${AS_OWNER} AS $$
    SELECT fairlead.empty_slots_after(fairlead.now_ms())
  $$;

  -- Claims the key and returns no row, or returns the record that holds it.
  CREATE FUNCTION fairlead.claim_key(tenant text, name text, print text, claim text, keep_ms bigint)
  RETURNS TABLE (known_print text, known_answer text, is_done boolean) LANGUAGE plpgsql ${AS_OWNER} AS $$
  DECLARE found_one record;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.key ' || tenant || ' ' || name, 0));
    SELECT k.fingerprint, k.answer, k.claim_id INTO found_one FROM fairlead.idempotency_keys k
      WHERE k.tenant_id = tenant AND k.key = name AND k.expires > fairlead.now_ms();
    IF found_one.fingerprint IS NULL THEN
      DELETE FROM fairlead.idempotency_keys k WHERE k.tenant_id = tenant AND k.key = name;
      INSERT INTO fairlead.idempotency_keys (slot, tenant_id, key, fingerprint, claim_id, expires)
        VALUES (fairlead.slot(86400), tenant, name, print, claim, fairlead.now_ms() + keep_ms);
    ELSIF found_one.claim_id IS DISTINCT FROM claim THEN
      RETURN QUERY SELECT found_one.fingerprint::text, found_one.answer::text, found_one.claim_id IS NULL;
    END IF;
  END $$;

  CREATE FUNCTION fairlead.complete_key(tenant text, name text, print text, given_answer text, keep_ms bigint)
  RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.key ' || tenant || ' ' || name, 0));
    DELETE FROM fairlead.idempotency_keys k WHERE k.tenant_id = tenant AND k.key = name;
    INSERT INTO fairlead.idempotency_keys (slot, tenant_id, key, fingerprint, answer, expires)
      VALUES (fairlead.slot(86400), tenant, name, print, given_answer, fairlead.now_ms() + keep_ms);
  END $$;

  -- 0: the place is taken; -1: it is, and places of other processes may be missing; else the first limit that is reached.
  CREATE FUNCTION fairlead.take_place(
    tenant text, place text, lease_ms bigint, waits boolean, queue_ms bigint, settle_ms bigint, names text[], most bigint[])
  RETURNS integer LANGUAGE plpgsql ${AS_OWNER} AS $$
  DECLARE now bigint; counted_since bigint; others bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.places ' || tenant, 0));
    now := fairlead.now_ms();
    SELECT s.since INTO counted_since FROM fairlead.run_places_since s WHERE s.tenant_id = tenant AND s.expires > now;
    counted_since := coalesce(counted_since, now);
    INSERT INTO fairlead.run_places_since AS s (tenant_id, since, expires) VALUES (tenant, counted_since, now + 2 * lease_ms)
      ON CONFLICT (tenant_id) DO UPDATE SET since = excluded.since, expires = excluded.expires;
    FOR i IN 1..cardinality(names) LOOP
      CONTINUE WHEN EXISTS (SELECT FROM fairlead.run_places p
        WHERE p.tenant_id = tenant AND p.name = names[i] AND p.id = place AND p.expires > now);
      SELECT count(*) INTO others FROM fairlead.run_places p WHERE p.tenant_id = tenant AND p.name = names[i] AND p.expires > now;
      IF NOT waits THEN
        others := others + (SELECT count(*) FROM fairlead.run_place_queue q
          WHERE q.tenant_id = tenant AND q.name = names[i] AND q.expires > now);
      END IF;
      CONTINUE WHEN others < most[i];
      IF waits THEN
        INSERT INTO fairlead.run_place_queue (tenant_id, name, id, expires) VALUES (tenant, names[i], place, now + queue_ms)
          ON CONFLICT (tenant_id, name, id) DO UPDATE SET expires = excluded.expires;
      END IF;
      RETURN i;
    END LOOP;
    INSERT INTO fairlead.run_places (tenant_id, name, id, expires)
      SELECT DISTINCT tenant, given, place, now + lease_ms FROM unnest(names) AS given
      ON CONFLICT (tenant_id, name, id) DO UPDATE SET expires = excluded.expires;
    DELETE FROM fairlead.run_place_queue q WHERE q.tenant_id = tenant AND q.name = ANY (names) AND q.id = place;
    RETURN CASE WHEN now - counted_since < settle_ms THEN -1 ELSE 0 END;
  END $$;

  -- Renews places, also those that the server has lost.
  CREATE FUNCTION fairlead.keep_places(tenant text, lease_ms bigint, names text[], ids text[])
  RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
  DECLARE now bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.places ' || tenant, 0));
    now := fairlead.now_ms();
    INSERT INTO fairlead.run_places_since AS s (tenant_id, since, expires) VALUES (tenant, now, now + 2 * lease_ms)
      ON CONFLICT (tenant_id) DO UPDATE SET expires = excluded.expires,
        since = CASE WHEN s.expires > now THEN s.since ELSE excluded.since END;
    INSERT INTO fairlead.run_places (tenant_id, name, id, expires)
      SELECT DISTINCT tenant, name, id, now + lease_ms FROM unnest(names) AS name, unnest(ids) AS id
      ON CONFLICT (tenant_id, name, id) DO UPDATE SET expires = excluded.expires;
  END $$;

  CREATE FUNCTION fairlead.leave_place(tenant text, place text, names text[]) RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
  BEGIN
    DELETE FROM fairlead.run_places p WHERE p.tenant_id = tenant AND p.name = ANY (names) AND p.id = place;
  END $$;

  CREATE FUNCTION fairlead.quota_window(duration text, now bigint, OUT starts bigint, OUT ends bigint)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE month timestamp;
  BEGIN
    CASE duration
      WHEN 'now' THEN starts := 0; ends := 0;
      WHEN 'minute' THEN starts := now - now % 60000; ends := starts + 60000;
      WHEN 'day' THEN starts := now - now % 86400000; ends := starts + 86400000;
      WHEN 'month' THEN
        month := date_trunc('month', to_timestamp(now / 1000.0) AT TIME ZONE 'UTC');
        starts := extract(epoch FROM month AT TIME ZONE 'UTC')::bigint * 1000;
        ends := extract(epoch FROM (month + interval '1 month') AT TIME ZONE 'UTC')::bigint * 1000;
    END CASE;
  END $$;

  -- A later window is that of a clock which was set back: what is used in it still counts.
  CREATE FUNCTION fairlead.quota_state(
    tenant text, count_name text, count_duration text, now bigint,
    OUT starts bigint, OUT ends bigint, OUT used bigint, OUT reserved bigint)
  LANGUAGE plpgsql VOLATILE ${AS_OWNER} AS $$
  BEGIN
    SELECT w.starts, w.ends INTO starts, ends FROM fairlead.quota_window(count_duration, now) w;
    SELECT coalesce(max(c.used), 0) INTO used FROM fairlead.quota_counts c
      WHERE c.tenant_id = tenant AND c.name = count_name AND c.duration = count_duration AND c.starts >= quota_state.starts;
    SELECT coalesce(sum(r.amount), 0) INTO reserved FROM fairlead.quota_reservations r
      WHERE r.tenant_id = tenant AND r.name = count_name AND r.duration = count_duration AND r.expires > now;
  END $$;

  CREATE FUNCTION fairlead.add_used(tenant text, count_name text, count_duration text, now bigint, amount bigint)
  RETURNS bigint LANGUAGE plpgsql ${AS_OWNER} AS $$
  DECLARE state record; total bigint;
  BEGIN
    state := fairlead.quota_state(tenant, count_name, count_duration, now);
    total := least(state.used + amount, 1000000000000000);
    IF state.ends = 0 OR total = 0 THEN RETURN state.used; END IF;
    INSERT INTO fairlead.quota_counts (tenant_id, name, duration, starts, ends, used)
      VALUES (tenant, count_name, count_duration, state.starts, state.ends, total)
      ON CONFLICT (tenant_id, name, duration) DO UPDATE SET starts = excluded.starts, ends = excluded.ends, used = excluded.used;
    RETURN total;
  END $$;

  -- Returns the position of the refused charge or 0, 1 if only reservations are in its way, then of each charge what is
  -- used, what is reserved, and the ms to the end of its window. Without a lease the amounts are counted as used.
  CREATE FUNCTION fairlead.take_quota(
    tenant text, reservation text, lease_ms bigint, names text[], durations text[], most bigint[], amounts bigint[])
  RETURNS bigint[] LANGUAGE plpgsql ${AS_OWNER} AS $$
  DECLARE now bigint; state record; refused bigint := 0; only_reserved bigint := 0; states bigint[] := '{}'; is_known boolean;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.quota ' || tenant, 0));
    now := fairlead.now_ms();
    FOR i IN 1..cardinality(names) LOOP
      state := fairlead.quota_state(tenant, names[i], durations[i], now);
      is_known := lease_ms > 0 AND EXISTS (SELECT FROM fairlead.quota_reservations r WHERE r.tenant_id = tenant
        AND r.name = names[i] AND r.duration = durations[i] AND r.id = reservation AND r.expires > now);
      IF refused = 0 AND NOT is_known AND state.used + state.reserved + amounts[i] > most[i]
        AND NOT (state.reserved = 0 AND state.used < most[i])
      THEN
        refused := i;
        IF state.used < most[i] THEN only_reserved := 1; END IF;
      END IF;
    END LOOP;
    FOR i IN 1..cardinality(names) LOOP
      IF refused = 0 AND lease_ms > 0 THEN
        INSERT INTO fairlead.quota_reservations AS r (tenant_id, name, duration, id, amount, expires)
          VALUES (tenant, names[i], durations[i], reservation, amounts[i], now + lease_ms)
          ON CONFLICT (tenant_id, name, duration, id) DO UPDATE SET expires = excluded.expires, amount = excluded.amount;
      ELSIF refused = 0 THEN
        PERFORM fairlead.add_used(tenant, names[i], durations[i], now, amounts[i]);
      END IF;
    END LOOP;
    FOR i IN 1..cardinality(names) LOOP
      state := fairlead.quota_state(tenant, names[i], durations[i], now);
      states := states || state.used || state.reserved || greatest(state.ends - now, 0);
    END LOOP;
    RETURN ARRAY[refused, only_reserved] || states;
  END $$;

  -- Ends the reservation and counts what was used, once.
  CREATE FUNCTION fairlead.settle_quota(tenant text, reservation text, names text[], durations text[], amounts bigint[])
  RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
  DECLARE now bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.quota ' || tenant, 0));
    IF EXISTS (SELECT FROM fairlead.quota_settled s WHERE s.tenant_id = tenant AND s.id = reservation) THEN RETURN; END IF;
    now := fairlead.now_ms();
    INSERT INTO fairlead.quota_settled (slot, tenant_id, id) VALUES (fairlead.slot(600), tenant, reservation);
    FOR i IN 1..cardinality(names) LOOP
      DELETE FROM fairlead.quota_reservations r
        WHERE r.tenant_id = tenant AND r.name = names[i] AND r.duration = durations[i] AND r.id = reservation;
      PERFORM fairlead.add_used(tenant, names[i], durations[i], now, amounts[i]);
    END LOOP;
  END $$;

  -- Renews reservations, also those that the server has lost, and not those that are settled.
  CREATE FUNCTION fairlead.keep_quota(
    tenant text, lease_ms bigint, ids text[], names text[], durations text[], amounts bigint[])
  RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('fairlead.quota ' || tenant, 0));
    INSERT INTO fairlead.quota_reservations AS r (tenant_id, name, duration, id, amount, expires)
      SELECT DISTINCT ON (given.name, given.duration, given.id)
        tenant, given.name, given.duration, given.id, given.amount, fairlead.now_ms() + lease_ms
      FROM unnest(ids, names, durations, amounts) AS given(id, name, duration, amount)
      WHERE NOT EXISTS (SELECT FROM fairlead.quota_settled s WHERE s.tenant_id = tenant AND s.id = given.id)
      ON CONFLICT (tenant_id, name, duration, id) DO UPDATE SET expires = excluded.expires;
  END $$;

  -- Adds the spans that are within the limits of their trace.
  CREATE FUNCTION fairlead.record_spans(
    tenant text, app text, owner text, session text, trace_ids text[], events text[], start_times double precision[],
    jsons text[], max_spans bigint, max_bytes bigint)
  RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
  BEGIN
    WITH given AS (
      SELECT * FROM unnest(trace_ids, events, start_times, jsons) WITH ORDINALITY AS spans(trace_id, event, start_time, json, place)
    ),
    kept AS (
      SELECT t.trace_id, count(*) AS spans, sum(octet_length(t.json)) AS bytes FROM fairlead.trace_spans AS t
      WHERE t.tenant_id = tenant AND t.session_id = session AND t.app_name = app AND t.user_id = owner
        AND t.trace_id = ANY (trace_ids)
      GROUP BY t.trace_id
    ),
    counted AS (
      SELECT given.*, coalesce(kept.spans, 0) + count(*) OVER earlier AS spans,
        coalesce(kept.bytes, 0) + sum(octet_length(given.json)) OVER earlier AS bytes
      FROM given LEFT JOIN kept USING (trace_id) WINDOW earlier AS (PARTITION BY trace_id ORDER BY given.place)
    )
    INSERT INTO fairlead.trace_spans
      (slot, tenant_id, app_name, user_id, session_id, trace_id, event, start_time, written, place, json)
    SELECT fairlead.slot(3600), tenant, app, owner, session, c.trace_id, c.event, c.start_time, fairlead.now_ms(), c.place, c.json
    FROM counted AS c WHERE c.spans <= max_spans AND c.bytes <= max_bytes;
  END $$;
`;

/** Executed after all functions are made. */
export const FUNCTION_RIGHTS = `
  DO $rights$
  DECLARE function_one regprocedure;
  BEGIN
    FOR function_one IN SELECT oid::regprocedure FROM pg_proc
      WHERE pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'fairlead.stream_batches'::regclass)
    LOOP
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function_one);
    END LOOP;
  END $rights$;
`;
