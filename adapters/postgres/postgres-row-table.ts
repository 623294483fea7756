import {
  assertCommit,
  type KeyRange,
  MAX_PAGE_CHARACTERS,
  type Row,
  type RowPage,
  type RowRange,
  type RowTable,
  type RowWrite,
} from "#ports/rows/row-table.ts";
import { Parameters } from "./database/parameters.ts";
import type { PostgresDatabase, RunStatement } from "./database/postgres-database.ts";

interface StoredRow {
  readonly key: string;
  readonly version: number;
  readonly value: string;
}

/** Greater than each character of a key. */
const END = "\x7f";

/** Rows in the table `rows`, which all tables of rows share under their names. */
export class PostgresRowTable implements RowTable {
  readonly #database: PostgresDatabase;
  readonly #name: string;

  constructor({ database, name }: { readonly database: PostgresDatabase; readonly name: string }) {
    this.#database = database;
    this.#name = name;
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    if (keys.length === 0) return new Map();
    const rows = await this.#database.read<StoredRow>(
      "SELECT key, version, value FROM fairlead.rows WHERE name = $1 AND key = ANY($2::text[])",
      [this.#name, keys],
    );
    return new Map(rows.map((row) => [row.key, toRow(row)]));
  }

  async list({ maxCharacters = MAX_PAGE_CHARACTERS, ...range }: RowRange): Promise<RowPage> {
    const { text, values, order } = this.#page(range, "key, version, value");
    const rows = await this.#database.read<StoredRow & { readonly before: number; readonly length: number }>(
      `SELECT key, version, value, before, length FROM (
         SELECT page.*, length(value) AS length,
           sum(length(value)) OVER (ORDER BY key ${order}) - length(value) AS before
         FROM (${text}) AS page
       ) AS sized WHERE before < $${values.length + 1} ORDER BY key ${order}`,
      [...values, maxCharacters],
    );
    const last = rows.at(-1);
    const isFull = last !== undefined && last.before + last.length >= maxCharacters;
    return { rows: rows.map(toRow), hasMore: isFull || rows.length === range.limit };
  }

  async listKeys(range: KeyRange): Promise<readonly string[]> {
    const { text, values } = this.#page(range, "key");
    return (await this.#database.read<Pick<StoredRow, "key">>(text, values)).map(({ key }) => key);
  }

  async commit(writes: readonly RowWrite[]): Promise<boolean> {
    assertCommit(writes);
    if (writes.length === 0) return true;
    // In the order of their keys: commits that write the same rows wait for each other, and not in a circle.
    const sorted = [...writes].sort((one, other) => (one.key < other.key ? -1 : 1));
    const parameters = new Parameters();
    const text = commitText(parameters, this.#name, sorted);
    const count = writes.filter(({ value, expect }) => value !== undefined || expect !== undefined).length;
    const isAll = async (run: RunStatement) =>
      (await run<{ readonly done: number }>(text, parameters.values))[0]?.done === count;
    // One write is done or not.
    if (writes.length === 1) return isAll((...call) => this.#database.write(...call));
    return (await this.#database.transaction(async (run) => ((await isAll(run)) ? true : undefined))) ?? false;
  }

  #page({ prefix, after, limit, descending = false }: KeyRange, columns: string) {
    const order = descending ? "DESC" : "";
    const first = descending ? prefix : (after ?? prefix);
    const last = descending ? (after ?? prefix + END) : prefix + END;
    const text = `SELECT ${columns} FROM fairlead.rows WHERE name = $1 AND key > $2 AND key < $3 ORDER BY key ${order} LIMIT $4`;
    return { text, values: [this.#name, first, last, limit], order };
  }
}

/** Counts the writes that were done, of those with a value or an expectation. */
function commitText(parameters: Parameters, name: string, writes: readonly RowWrite[]): string {
  const table = `${parameters.add(name)}::text`;
  const parts: string[] = [];
  const counted: string[] = [];
  const add = (own: readonly RowWrite[], textOf: (given: string) => string, isCounted = true) => {
    if (own.length === 0) return;
    const rows = own.map(({ key, value, expect }) => ({
      key,
      value: value === undefined ? null : JSON.stringify(value),
      expect: typeof expect === "number" ? expect : null,
    }));
    const part = `part${parts.length}`;
    const given = parameters.table("given", { key: "text", value: "text", expect: "bigint" }, rows);
    parts.push(`${part} AS (${textOf(given)} RETURNING 1)`);
    if (isCounted) counted.push(`(SELECT count(*) FROM ${part})`);
  };
  const ofKind = (isSet: boolean, expected: (expect: RowWrite["expect"]) => boolean) =>
    writes.filter(({ value, expect }) => (value !== undefined) === isSet && expected(expect));
  const isMissing = (expect: RowWrite["expect"]) => expect === "missing";
  const isAny = (expect: RowWrite["expect"]) => expect === undefined;
  const isKnown = (expect: RowWrite["expect"]) => typeof expect === "number";
  const insertion = `INSERT INTO fairlead.rows (name, key, version, value)
    SELECT ${table}, key, nextval('fairlead.versions'), value`;
  const isOwn = `old.name = ${table} AND old.key = given.key`;
  add(ofKind(true, isMissing), (given) => `${insertion} FROM ${given} ON CONFLICT DO NOTHING`);
  add(
    ofKind(true, isAny),
    (given) => `${insertion} FROM ${given}
      ON CONFLICT (name, key) DO UPDATE SET version = excluded.version, value = excluded.value`,
  );
  add(
    ofKind(true, isKnown),
    (given) => `UPDATE fairlead.rows AS old SET version = nextval('fairlead.versions'), value = given.value
      FROM ${given} WHERE ${isOwn} AND old.version = given.expect`,
  );
  const deletion = (given: string) => `DELETE FROM fairlead.rows AS old USING ${given} WHERE ${isOwn}`;
  add(ofKind(false, isKnown), (given) => `${deletion(given)} AND old.version = given.expect`);
  add(ofKind(false, isAny), deletion, false);
  return `WITH ${parts.join(", ")} SELECT ${counted.join(" + ") || "0"} AS done`;
}

function toRow({ key, version, value }: StoredRow): Row {
  // Written by JSON.stringify from an object.
  return { key, version, value: JSON.parse(value) };
}
