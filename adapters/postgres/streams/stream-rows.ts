import { decodeBatch, type OutgoingBatch, type RunBatch } from "#ports/runs/reading/run-batch.ts";
import type { RunLogPage } from "#ports/runs/reading/run-log.ts";
import { type CursorPosition, formatCursor } from "#ports/runs/run-stream.ts";
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

/** Writes one batch of each stream. It may be repeated. */
export async function writeBatches(database: PostgresDatabase, writes: readonly StreamWrite[]): Promise<void> {
  const batches = writes.map(({ batch }) => batch);
  await database.read("SELECT fairlead.write_batches($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", [
    writes.map(({ stream }) => stream),
    batches.map(({ epoch }) => epoch),
    batches.map(({ from }) => from),
    batches.map(({ to }) => to),
    batches.map(({ epoch, from }) => formatCursor({ epoch, n: from - 1 })),
    batches.map(({ continuesRun }) => continuesRun),
    batches.map(({ ended }) => ended),
    batches.map(({ body }) => Buffer.byteLength(body) + BATCH_OVERHEAD_BYTES),
    writes.map(({ maxBytes }) => maxBytes),
    batches.map(({ body }) => body),
  ]);
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

/** The pages of the streams, in their order. */
export async function readPages(
  database: PostgresDatabase,
  places: readonly StreamPlace[],
): Promise<readonly StreamPage[]> {
  const found = await database.read<PageRow>("SELECT * FROM fairlead.read_batches($1, $2, $3, $4, $5, $6)", [
    places.map(({ stream }) => stream),
    places.map(({ after }) => after.epoch),
    places.map(({ after }) => after.n),
    places.map((_, place) => place),
    PAGE_BATCHES,
    MAX_READ_BYTES,
  ]);
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
