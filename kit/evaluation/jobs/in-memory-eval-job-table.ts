import type { EvalJobRow, EvalJobRowPage, EvalJobTable, RowRange, RowWrite } from "./eval-job-table.ts";

/** Rows in the memory of this process. */
export class InMemoryEvalJobTable implements EvalJobTable {
  readonly #rows = new Map<string, EvalJobRow>();
  #version = 0;

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, EvalJobRow>> {
    return new Map(keys.flatMap((key) => (this.#rows.has(key) ? [[key, this.#copy(key)] as const] : [])));
  }

  async list(range: RowRange): Promise<readonly EvalJobRow[]> {
    return this.#keysOf(range).map((key) => this.#copy(key));
  }

  async page(range: RowRange, maxCharacters: number): Promise<EvalJobRowPage> {
    const rows: EvalJobRow[] = [];
    let characters = 0;
    for (const key of this.#keysOf(range)) {
      const row = this.#copy(key);
      rows.push(row);
      characters += JSON.stringify(row.value).length;
      if (characters >= maxCharacters) return { rows, hasMore: true };
    }
    return { rows, hasMore: rows.length === range.limit };
  }

  #keysOf({ prefix, after, limit, descending = false }: RowRange): readonly string[] {
    const sorted = [...this.#rows.keys()].filter((key) => key.startsWith(prefix)).sort();
    const ordered = descending ? sorted.reverse() : sorted;
    const rest = after === undefined ? ordered : ordered.filter((key) => (descending ? key < after : key > after));
    return rest.slice(0, limit);
  }

  async commit(writes: readonly RowWrite[]): Promise<boolean> {
    const isLost = writes.some(({ key, expect }) => {
      const version = this.#rows.get(key)?.version;
      return expect !== undefined && (expect === "missing" ? version !== undefined : version !== expect);
    });
    if (isLost) return false;
    this.#version += 1;
    for (const { key, value } of writes) {
      if (value === undefined) this.#rows.delete(key);
      else this.#rows.set(key, { key, value: structuredClone(value), version: this.#version });
    }
    return true;
  }

  #copy(key: string): EvalJobRow {
    const row = this.#rows.get(key);
    if (row === undefined) throw new TypeError("The row was looked up before.");
    return structuredClone(row);
  }
}
