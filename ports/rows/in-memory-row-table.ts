import {
  assertCommit,
  type KeyRange,
  MAX_PAGE_CHARACTERS,
  type Row,
  type RowPage,
  type RowRange,
  type RowTable,
  type RowWrite,
} from "./row-table.ts";

/** Rows as text, so that callers share no object with the table. */
interface StoredRow {
  readonly json: string;
  readonly version: number;
}

/** Less and greater than each character of a key. */
const START = "\0";
const END = "\x7f";

/** Rows in the memory of this process, which end with it. */
export class InMemoryRowTable implements RowTable {
  readonly #rows = new Map<string, StoredRow>();
  /** The keys in their order; undefined after rows were added or removed. */
  #sorted: readonly string[] | undefined;
  #version = 0;

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    return new Map(keys.flatMap((key) => this.#rowsAt(key).map(({ row }) => [key, row] as const)));
  }

  async list({ maxCharacters = MAX_PAGE_CHARACTERS, ...range }: RowRange): Promise<RowPage> {
    const rows: Row[] = [];
    let characters = 0;
    for (const { row, length } of this.#keysOf(range).flatMap((key) => this.#rowsAt(key))) {
      rows.push(row);
      characters += length;
      if (characters >= maxCharacters) return { rows, hasMore: true };
    }
    return { rows, hasMore: rows.length === range.limit };
  }

  async listKeys(range: KeyRange): Promise<readonly string[]> {
    return this.#keysOf(range);
  }

  async commit(writes: readonly RowWrite[]): Promise<boolean> {
    assertCommit(writes);
    const isLost = writes.some(({ key, expect }) => {
      const version = this.#rows.get(key)?.version;
      return expect !== undefined && (expect === "missing" ? version !== undefined : version !== expect);
    });
    if (isLost) return false;
    this.#version += 1;
    for (const { key, value } of writes) {
      if (this.#rows.has(key) !== (value !== undefined)) this.#sorted = undefined;
      if (value === undefined) this.#rows.delete(key);
      else this.#rows.set(key, { json: JSON.stringify(value), version: this.#version });
    }
    return true;
  }

  #keysOf({ prefix, after, limit, descending = false }: KeyRange): readonly string[] {
    this.#sorted ??= [...this.#rows.keys()].sort();
    const keys: string[] = [];
    const [first, step] = descending
      ? [indexFrom(this.#sorted, after ?? prefix + END) - 1, -1]
      : [indexFrom(this.#sorted, (after ?? prefix) + START), 1];
    for (let index = first; keys.length < limit; index += step) {
      const key = this.#sorted[index];
      if (key === undefined || key === prefix || !key.startsWith(prefix)) break;
      keys.push(key);
    }
    return keys;
  }

  #rowsAt(key: string): readonly { readonly row: Row; readonly length: number }[] {
    const stored = this.#rows.get(key);
    if (stored === undefined) return [];
    const { json, version } = stored;
    return [{ row: { key, version, value: JSON.parse(json) }, length: json.length }];
  }
}

/** The index of the first key that is not less. */
function indexFrom(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
