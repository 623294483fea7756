import type { JsonObject } from "#kit/platform/json.ts";

/** The storage of a job store: JSON values under keys, which are sorted by their bytes. */
export interface EvalJobTable {
  read(keys: readonly string[]): Promise<ReadonlyMap<string, EvalJobRow>>;
  list(range: RowRange): Promise<readonly EvalJobRow[]>;
  /** As `list`; the page ends with the row by which the JSON of its values reaches that size. */
  page(range: RowRange, maxCharacters: number): Promise<EvalJobRowPage>;
  /** All writes or none; false if a row is not as a write expects it. */
  commit(writes: readonly RowWrite[]): Promise<boolean>;
}

export interface EvalJobRowPage {
  readonly rows: readonly EvalJobRow[];
  /** Whether more rows may follow. */
  readonly hasMore: boolean;
}

export interface EvalJobRow {
  readonly key: string;
  readonly value: JsonObject;
  readonly version: RowVersion;
}

/** Differs after each change of the row. Only the table that returned it compares it. */
export type RowVersion = object | number | string;

export interface RowRange {
  /** The start of all keys in the range. */
  readonly prefix: string;
  /** The rows that follow this key in the order of the list. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** The greatest key first. */
  readonly descending?: boolean;
}

/** The new value of a row, or its removal. */
export interface RowWrite {
  readonly key: string;
  readonly value: JsonObject | undefined;
  /** The required current state of the row; any state if absent. */
  readonly expect?: "missing" | RowVersion;
}
