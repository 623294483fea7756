import type { JsonObject } from "#kit/platform/json.ts";
import { type CursorPosition, type PublishedEntry, parseCursor } from "#ports/runs/run-stream.ts";

/** Limits the size of one message and of one page of a log: a larger batch is split. */
const MAX_BATCH_CHARACTERS = 256 * 1024;
/** The cost of an entry besides its JSON. */
const ENTRY_OVERHEAD_CHARACTERS = 100;
const FORMAT = 1;
/** Marks a batch without a predecessor: no entry of the run came before it. */
const START_MARK = "^";

/** Consecutive entries of one epoch, ready to be written. */
export interface OutgoingBatch {
  readonly epoch: number;
  readonly from: number;
  readonly to: number;
  readonly ended: boolean;
  /** Whether the first entry belongs to a later attempt, so that earlier holders have published entries too. */
  readonly continuesRun: boolean;
  readonly body: string;
}

/** A batch as read. */
export interface RunBatch {
  /** The entry before this batch. A reader that has not seen it has lost entries. */
  readonly after: CursorPosition;
  /** No entry came before this batch. */
  readonly isStart: boolean;
  readonly last: PublishedEntry;
  readonly entries: readonly PublishedEntry[];
  readonly characters: number;
}

/**
 * Splits entries that are published together into batches without gaps. Leaves out numbers that do not increase and
 * entries after the end.
 *
 * A batch is a line of JSON with all data but the events' own JSON, and then that JSON unchanged: it is neither escaped
 * nor parsed.
 */
export function toBatches(entries: readonly PublishedEntry[]): readonly OutgoingBatch[] {
  const batches: OutgoingBatch[] = [];
  let group: PublishedEntry[] = [];
  let characters = 0;
  let last: PublishedEntry | undefined;
  for (const entry of entries) {
    if (last?.kind === "end") break;
    if (last !== undefined && comparePositions(entry, last) <= 0) continue;
    const follows = last === undefined || (entry.epoch === last.epoch && entry.n === last.n + 1);
    const size = entry.kind === "event" ? entry.json.length + ENTRY_OVERHEAD_CHARACTERS : ENTRY_OVERHEAD_CHARACTERS;
    if (group.length > 0 && (!follows || characters + size > MAX_BATCH_CHARACTERS)) {
      batches.push(encode(group));
      group = [];
      characters = 0;
    }
    group.push(entry);
    characters += size;
    last = entry;
  }
  if (group.length > 0) batches.push(encode(group));
  return batches;
}

function encode(entries: readonly PublishedEntry[]): OutgoingBatch {
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) throw new Error("A batch has at least one entry.");
  const items: unknown[] = [];
  let jsons = "";
  for (const entry of entries) {
    if (entry.kind === "event") {
      items.push([entry.eventId, entry.json.length, entry.partial ? 1 : 0, entry.sequence]);
      jsons += entry.json;
      continue;
    }
    const { epoch: _epoch, n: _n, ...item } = entry;
    items.push(item);
  }
  return {
    epoch: first.epoch,
    from: first.n,
    to: last.n,
    ended: last.kind === "end",
    continuesRun: first.kind === "attempt" && first.attempt > 1,
    body: `${JSON.stringify([FORMAT, first.epoch, first.n, items])}\n${jsons}`,
  };
}

/**
 * The batch of a payload, whose first line is the link and whose second is the body. Undefined if another version wrote
 * it.
 */
export function decodeBatch(payload: string): RunBatch | undefined {
  try {
    return decode(payload);
  } catch {
    // A reader that cannot read a batch has lost it; the link of the next batch shows the gap.
    return undefined;
  }
}

function decode(payload: string): RunBatch | undefined {
  const linkEnd = payload.indexOf("\n");
  const headEnd = payload.indexOf("\n", linkEnd + 1);
  // The script writes the output of `encode`, and the format's number comes first.
  const head = JSON.parse(payload.slice(linkEnd + 1, headEnd)) as readonly [number, number, number, readonly Item[]];
  const [format, epoch, from, items] = head;
  if (format !== FORMAT) return undefined;
  let at = headEnd + 1;
  const entries = items.map((item, index): PublishedEntry => {
    const position = { epoch, n: from + index };
    // Only `encode` creates items that are not events: they are entries without their position.
    if (!isEventItem(item)) return { ...item, ...position } as unknown as PublishedEntry;
    const [eventId, length, partial, sequence] = item;
    const json = payload.slice(at, at + length);
    at += length;
    const event = { kind: "event", ...position, eventId, json, partial: partial === 1 } as const;
    return sequence == null ? event : { ...event, sequence };
  });
  const last = entries.at(-1);
  if (last === undefined || at !== payload.length) return undefined;
  return { ...decodeLink(payload.slice(0, linkEnd)), last, entries, characters: payload.length };
}

type EventItem = readonly [eventId: string, length: number, partial: 0 | 1, sequence?: number | null];
type Item = EventItem | JsonObject;

function isEventItem(item: Item): item is EventItem {
  return Array.isArray(item);
}

function decodeLink(link: string): Pick<RunBatch, "after" | "isStart"> {
  const isStart = link.startsWith(START_MARK);
  const [epoch, n] = link.slice(isStart ? START_MARK.length : 0).split(".");
  // The position before an epoch's first entry is not a valid cursor.
  if (n === "0") return { after: { epoch: Number(epoch), n: 0 }, isStart };
  return { after: parseCursor(`${epoch}.${n}`), isStart };
}

export function comparePositions(left: CursorPosition, right: CursorPosition): number {
  return left.epoch - right.epoch || left.n - right.n;
}
