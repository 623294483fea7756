import { AS_OWNER } from "./transport-functions.ts";

/**
 * Writing and reading streams. Functions, because a connection keeps the plan of a function's statement, where a statement
 * without a name is planned at each call: that takes longer than to execute it. The plan can be as old as the connection,
 * and is made while the tables are empty: it has to use their indexes.
 */
export const STREAM_FUNCTIONS = `
  -- Writes one batch of each stream. Batches of an old epoch, of a stream that has ended, and those that were written before
  -- are left out, so that the call may be repeated. A batch is linked to the position last written, or, if the publisher
  -- left a gap, to the last one that is missing.
  CREATE FUNCTION fairlead.write_batches(
    streams text[], epochs bigint[], firsts bigint[], lasts bigint[], befores text[], continuing boolean[], ending boolean[],
    sizes bigint[], most bigint[], bodies text[])
  RETURNS void LANGUAGE plpgsql ${AS_OWNER} SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  BEGIN
    INSERT INTO fairlead.stream_batches (slot, stream, epoch, n, link, ended, starts, ends, kept_from, body)
    SELECT fairlead.slot(300), given.stream, given.epoch, given.last,
      CASE
        WHEN head.epoch IS NULL THEN CASE WHEN given.first = 1 AND NOT given.continues THEN '^' ELSE '' END || given.before
        WHEN given.first <= CASE WHEN given.epoch = head.epoch THEN head.n + 1 ELSE 1 END THEN head.epoch || '.' || head.n
        ELSE given.before
      END,
      given.is_end, coalesce(head.ends, 0), coalesce(head.ends, 0) + given.size,
      coalesce(head.ends, 0) + given.size - given.kept, given.body
    FROM unnest(streams, epochs, firsts, lasts, befores, continuing, ending, sizes, most, bodies)
      AS given(stream, epoch, first, last, before, continues, is_end, size, kept, body)
    LEFT JOIN LATERAL (
      SELECT b.epoch, b.n, b.ended, b.ends FROM fairlead.stream_batches AS b WHERE b.stream = given.stream
      ORDER BY b.epoch DESC, b.n DESC LIMIT 1
    ) AS head ON true
    WHERE head.epoch IS NULL
      OR (NOT head.ended AND (given.epoch > head.epoch OR (given.epoch = head.epoch AND given.last > head.n)))
    ON CONFLICT DO NOTHING;
  END $$;

  -- Of each stream the newest position, and its first batches after the given position: at most so many, and of all
  -- streams together about so many bytes. The text of a batch beyond that is null.
  CREATE FUNCTION fairlead.read_batches(
    streams text[], epochs bigint[], numbers bigint[], places integer[], page bigint, max_bytes bigint)
  RETURNS TABLE (place integer, head_epoch bigint, head_n bigint, head_ended boolean, link text, is_cut boolean, body text)
  LANGUAGE plpgsql STABLE ROWS 10 ${AS_OWNER} SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  BEGIN
    RETURN QUERY
    SELECT pages.place, pages.head_epoch, pages.head_n, pages.head_ended, pages.link, pages.is_cut,
      CASE WHEN NOT pages.is_cut THEN pages.body END
    FROM (
      SELECT given.place, head.epoch AS head_epoch, head.n AS head_n, head.ended AS head_ended, batch.link, batch.body,
        batch.epoch, batch.n,
        sum(coalesce(octet_length(batch.body), 0)) OVER reading > max_bytes AND count(batch.n) OVER reading > 1 AS is_cut
      FROM unnest(streams, epochs, numbers, places) AS given(stream, epoch, n, place)
      LEFT JOIN LATERAL (
        SELECT b.epoch, b.n, b.ended, b.kept_from FROM fairlead.stream_batches AS b WHERE b.stream = given.stream
        ORDER BY b.epoch DESC, b.n DESC LIMIT 1
      ) AS head ON true
      LEFT JOIN LATERAL (
        SELECT b.epoch, b.n, b.link, b.body FROM fairlead.stream_batches AS b
        WHERE b.stream = given.stream AND (b.epoch, b.n) > (given.epoch, given.n)
          AND (b.starts >= head.kept_from OR (b.epoch, b.n) = (head.epoch, head.n))
        ORDER BY b.epoch, b.n LIMIT page
      ) AS batch ON true
      WINDOW reading AS (ORDER BY given.place, batch.epoch, batch.n)
    ) AS pages
    ORDER BY pages.place, pages.epoch, pages.n;
  END $$;
`;
