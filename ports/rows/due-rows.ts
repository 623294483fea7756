import type { JsonObject } from "#kit/platform/json.ts";
import { keyDigest, type RowTable, type RowWrite } from "./row-table.ts";

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
