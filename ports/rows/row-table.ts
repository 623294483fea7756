import { createHash } from "node:crypto";
import type { JsonObject } from "#kit/platform/json.ts";

/** The most rows that one commit may write. */
export const MAX_COMMIT_ROWS = 100;
/** The most characters of a key. */
export const MAX_KEY_LENGTH = 1400;
/** The size at which a page of a list ends, unless the caller gives another one. */
export const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

/**
 * JSON values under keys, which are sorted by their bytes. All stores that are not on the path of a turn keep their data
 * in such tables, so that each of these stores is written once and a database needs one table. For example, a store that
 * counts:
 *
 *     await changeRows(table, ["count"], (rows) => {
 *       const count = Number(rows.get("count")?.value["n"] ?? 0) + 1;
 *       return { writes: [{ key: "count", value: { n: count } }], result: count };
 *     });
 *
 * A value may have any size. The sizes of keys and commits are limited by the constants above, in every table.
 */
export interface RowTable {
  /** The existing rows of these keys. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>>;
  /** A page of the rows in a range, in their order. */
  list(range: RowRange): Promise<RowPage>;
  /** The keys of a range, without reading its values. */
  listKeys(range: KeyRange): Promise<readonly string[]>;
  /** All writes or none; false if a row is not as a write expects it. Each row may be written once. */
  commit(writes: readonly RowWrite[]): Promise<boolean>;
}

export interface Row {
  readonly key: string;
  readonly value: JsonObject;
  readonly version: RowVersion;
}

/** Differs after each change of its row, also if the row was removed in between. Only the table that returned it compares it. */
export type RowVersion = object | number | string;

export interface KeyRange {
  /** The range has all keys that are longer and begin so. */
  readonly prefix: string;
  /** A place in the range, after which the list begins in its order. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** The greatest key first. */
  readonly descending?: boolean;
}

export interface RowRange extends KeyRange {
  /** The page ends with the row whose JSON makes it reach this size; `MAX_PAGE_CHARACTERS` by default. */
  readonly maxCharacters?: number;
}

export interface RowPage {
  readonly rows: readonly Row[];
  /** Whether more rows may follow. */
  readonly hasMore: boolean;
}

/** The new value of a row, or its removal. */
export type RowWrite =
  | {
      readonly key: string;
      readonly value: JsonObject;
      /** The required current state of the row; any state if absent. */
      readonly expect?: "missing" | RowVersion | undefined;
    }
  | { readonly key: string; readonly value: undefined; readonly expect?: RowVersion | undefined };

/** A name as a part of a key. Different names give different parts, and no part contains a slash. */
export function keyPart(name: string): string {
  return encodeURIComponent(name);
}

/** A part of a key for names whose parts would be too long, or should not be readable. */
export function keyDigest(names: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(names), "utf8").digest("hex");
}

/** Printable ASCII without a comma, which the table in Firestore uses. */
const KEY = /^[!-+\--~]+$/;

/** Throws a `TypeError` if a store exceeds the limits of a commit. Every table calls it before it writes. */
export function assertCommit(writes: readonly RowWrite[]): void {
  const keys = new Set(writes.map(({ key }) => key));
  if (keys.size < writes.length) throw new TypeError("A commit writes a row twice.");
  if (keys.size > MAX_COMMIT_ROWS) throw new TypeError(`A commit writes ${keys.size} rows, over ${MAX_COMMIT_ROWS}.`);
  for (const key of keys) {
    if (KEY.test(key) && key.length <= MAX_KEY_LENGTH) continue;
    throw new TypeError(
      `The key of a row must be 1 to ${MAX_KEY_LENGTH} characters of ASCII without spaces and commas.`,
    );
  }
}
