import { decodeBatch, type OutgoingBatch, type RunBatch } from "#ports/runs/reading/run-batch.ts";
import type { RunLogPage } from "#ports/runs/reading/run-log.ts";
import { type CursorPosition, formatCursor } from "#ports/runs/run-stream.ts";
import { Parameters } from "../database/parameters.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";

/** The batches of a stream on a page. */
const PAGE_BATCHES = 100;
/** About the most bytes that one statement reads, over all its streams. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** The cost of a batch besides its text; it also limits the number of small batches. */
const BATCH_OVERHEAD_BYTES = 64;

export interface StreamWrite {
  readonly stream: string;
  readonly batch: OutgoingBatch;
  /** The most bytes of the stream that readers get. */
  readonly maxBytes: number;
}

const WRITE_COLUMNS = {
  stream: "text",
  epoch: "bigint",
  first: "bigint",
  last: "bigint",
  before: "text",
  continues: "boolean",
  ended: "boolean",
  most: "bigint",
  size: "bigint",
  body: "text",
} as const;

/**
 * Writes one batch of each stream. Batches of an old epoch, of a stream that has ended, and those that were written before
 * are left out, so that the statement may be repeated. A batch is linked to the position last written, or, if the
 * publisher left a gap, to the last one that is missing.
 */
export async function writeBatches(database: PostgresDatabase, writes: readonly StreamWrite[]): Promise<void> {
  const parameters = new Parameters();
  const rows = writes.map(({ stream, batch, maxBytes }) => ({
    stream,
    epoch: batch.epoch,
    first: batch.from,
    last: batch.to,
    before: formatCursor({ epoch: batch.epoch, n: batch.from - 1 }),
    continues: batch.continuesRun,
    ended: batch.ended,
    most: maxBytes,
    size: Buffer.byteLength(batch.body) + BATCH_OVERHEAD_BYTES,
    body: batch.body,
  }));
  await database.read(
    `INSERT INTO fairlead.stream_batches (slot, stream, epoch, n, link, ended, starts, ends, kept_from, body)
     SELECT fairlead.slot(300), given.stream, given.epoch, given.last,
       CASE
         WHEN head.epoch IS NULL THEN CASE WHEN given.first = 1 AND NOT given.continues THEN '^' ELSE '' END || given.before
         WHEN given.first <= CASE WHEN given.epoch = head.epoch THEN head.n + 1 ELSE 1 END THEN head.epoch || '.' || head.n
         ELSE given.before
       END,
       given.ended, coalesce(head.ends, 0), coalesce(head.ends, 0) + given.size,
       coalesce(head.ends, 0) + given.size - given.most, given.body
     FROM ${parameters.table("given", WRITE_COLUMNS, rows)}
     LEFT JOIN LATERAL (
       SELECT epoch, n, ended, ends FROM fairlead.stream_batches AS kept WHERE kept.stream = given.stream
       ORDER BY kept.epoch DESC, kept.n DESC LIMIT 1
     ) AS head ON true
     WHERE head.epoch IS NULL
       OR (NOT head.ended AND (given.epoch > head.epoch OR (given.epoch = head.epoch AND given.last > head.n)))
     ON CONFLICT DO NOTHING`,
    parameters.values,
  );
}

/** Names a stream. Its batches after the position are read. */
export interface StreamPlace {
  readonly stream: string;
  readonly after: CursorPosition;
}

/** A page, or undefined if the statement has read enough before it. */
export type StreamPage = RunLogPage | undefined;

interface PageRow {
  readonly place: number;
  readonly head_epoch: number | null;
  readonly head_n: number | null;
  readonly head_ended: boolean | null;
  readonly link: string | null;
  readonly body: string | null;
  readonly is_cut: boolean;
}

const READ_COLUMNS = { stream: "text", epoch: "bigint", n: "bigint", place: "integer" } as const;

/** The pages of the streams, in their order. */
export async function readPages(
  database: PostgresDatabase,
  places: readonly StreamPlace[],
): Promise<readonly StreamPage[]> {
  const parameters = new Parameters();
  const rows = places.map(({ stream, after }, place) => ({ stream, epoch: after.epoch, n: after.n, place }));
  // A row is read whole only if it is within the limit, or the first of all.
  const found = await database.read<PageRow>(
    `SELECT place, head_epoch, head_n, head_ended, link, sum > ${MAX_READ_BYTES} AND number > 1 AS is_cut,
       CASE WHEN sum > ${MAX_READ_BYTES} AND number > 1 THEN NULL ELSE body END AS body
     FROM (
       SELECT given.place, head.epoch AS head_epoch, head.n AS head_n, head.ended AS head_ended, batch.link, batch.body,
         batch.epoch, batch.n,
         sum(coalesce(octet_length(batch.body), 0)) OVER reading AS sum, count(batch.n) OVER reading AS number
       FROM ${parameters.table("given", READ_COLUMNS, rows)}
       LEFT JOIN LATERAL (
         SELECT epoch, n, ended, kept_from FROM fairlead.stream_batches AS kept WHERE kept.stream = given.stream
         ORDER BY kept.epoch DESC, kept.n DESC LIMIT 1
       ) AS head ON true
       LEFT JOIN LATERAL (
         SELECT epoch, n, link, body FROM fairlead.stream_batches AS kept
         WHERE kept.stream = given.stream AND (kept.epoch, kept.n) > (given.epoch, given.n)
           AND (kept.starts >= head.kept_from OR (kept.epoch, kept.n) = (head.epoch, head.n))
         ORDER BY kept.epoch, kept.n LIMIT ${PAGE_BATCHES}
       ) AS batch ON true
       WINDOW reading AS (ORDER BY given.place, batch.epoch, batch.n)
     ) AS pages
     ORDER BY place, epoch, n`,
    parameters.values,
  );
  const byPlace = Map.groupBy(found, ({ place }) => place);
  return places.map((_, place) => toPage(byPlace.get(place) ?? []));
}

function toPage(rows: readonly PageRow[]): StreamPage {
  const head = rows[0];
  const kept = rows.filter(({ body }) => body !== null);
  const isCut = rows.some(({ is_cut }) => is_cut);
  if (isCut && kept.length === 0) return undefined;
  const batches = kept
    .map(({ link, body }) => decodeBatch(`${link ?? ""}\n${body ?? ""}`))
    .filter((batch): batch is RunBatch => batch !== undefined);
  return {
    batches,
    isFull: (isCut || kept.length === PAGE_BATCHES) && batches.length > 0,
    newest: head?.head_epoch != null && head.head_n != null ? { epoch: head.head_epoch, n: head.head_n } : undefined,
    ended: head?.head_ended === true,
  };
}
