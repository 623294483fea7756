import type { JsonObject } from "#kit/platform/json.ts";
import { newContentId } from "#kit/platform/random-text.ts";
import { changeRows } from "./change-rows.ts";
import { keyDigest, type Row, type RowTable, type RowWrite } from "./row-table.ts";

/** A row of work that has a time: `due/{time}/{digest of its key}` in the same table, which changes with it in one commit. */
export interface DueRow {
  /** The row of the work. */
  readonly key: string;
  /** In milliseconds since the epoch. */
  readonly dueMs: number;
  /** The part of the work that a process reads before it takes it. */
  readonly value: JsonObject;
}

const DUE = "due/";
/** Times as text have one length, so that they sort. */
const TIME_LENGTH = 15;

export function dueRow(dueMs: number, key: string): string {
  return `${DUE}${String(dueMs).padStart(TIME_LENGTH, "0")}/${keyDigest([key])}`;
}

/** The first ones in the order of their times, future ones included. */
export async function listDueRows(table: RowTable, limit: number): Promise<readonly DueRow[]> {
  const { rows } = await table.list({ prefix: DUE, limit });
  return rows.map(({ key: name, value }) => {
    const { key, ...others } = value;
    // Written by `dueWrites`.
    return { key: String(key), dueMs: Number(name.slice(DUE.length, DUE.length + TIME_LENGTH)), value: others };
  });
}

export interface DueChange {
  /** The time that the row of the work has; absent for none. */
  readonly fromMs?: number | undefined;
  /** The time that it gets; absent for none. */
  readonly toMs?: number | undefined;
  readonly value?: JsonObject;
  /** Whether the value differs from the one that is stored. */
  readonly isChanged?: boolean;
}

/** The writes that move the time of a row, for the commit that changes the row. */
export function dueWrites(
  key: string,
  { fromMs, toMs, value = {}, isChanged = false }: DueChange,
): readonly RowWrite[] {
  const from = fromMs === undefined ? undefined : dueRow(fromMs, key);
  const to = toMs === undefined ? undefined : dueRow(toMs, key);
  if (from === to && !isChanged) return [];
  const removal = from === undefined || from === to ? [] : [{ key: from, value: undefined }];
  return to === undefined ? removal : [{ key: to, value: { ...value, key } }, ...removal];
}

/** Work with a time and a lease, as its row has it. */
export interface LeasedWork {
  /** Absent for work without a time. */
  readonly dueMs?: number | undefined;
  /** Of the process that has it; changes with each lease. */
  readonly lease?: string | undefined;
}

interface TakeOptions<Kept extends LeasedWork> {
  readonly due: { readonly key: string; readonly dueMs: number };
  readonly untilMs: number;
  readonly keptOf: (row: Row | undefined) => Kept | undefined;
  readonly writesOf: (key: string, after: Kept, before: Kept) => readonly RowWrite[];
}

/**
 * Leases the work until `untilMs` by moving its time there. Undefined if the work was removed or its time has moved,
 * for example because another process has it; a row of a time without its work is removed.
 */
export async function takeDueRow<Kept extends LeasedWork>(
  table: RowTable,
  { due: { key, dueMs }, untilMs, keptOf, writesOf }: TakeOptions<Kept>,
): Promise<{ readonly lease: string; readonly before: Kept } | undefined> {
  const place = dueRow(dueMs, key);
  const lease = newContentId();
  const before = await changeRows<Kept | undefined>(table, [key, place], (rows) => {
    const kept = keptOf(rows.get(key));
    if (kept?.dueMs === dueMs) return { writes: writesOf(key, { ...kept, lease, dueMs: untilMs }, kept), result: kept };
    return { writes: rows.has(place) ? [{ key: place, value: undefined }] : [], result: undefined };
  });
  return before && { lease, before };
}
