type ColumnType = "bigint" | "boolean" | "double precision" | "integer" | "text";

export type ColumnTypes<Column extends string> = Readonly<Record<Column, ColumnType>>;
/** Rows with a value for each column; other members are ignored. */
export type ColumnRows<Column extends string> = readonly Readonly<Record<Column, Scalar>>[];

type Scalar = string | number | boolean | null;

/** The values of one statement, which refers to them by number. */
export class Parameters {
  readonly values: unknown[] = [];

  /** `$1` for the first value, and so on. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /**
   * Rows as a table of the statement: `unnest($1::text[], $2::bigint[]) AS name(key, version)`. Its number of values is
   * the number of columns, so statements with any number of rows have one text.
   */
  table<Column extends string>(name: string, columns: ColumnTypes<Column>, rows: ColumnRows<Column>): string {
    // A record's own keys are those that its type names.
    const names = Object.keys(columns) as Column[];
    const arrays = names.map(
      (column) => `${this.add(arrayLiteral(rows.map((row) => row[column])))}::${columns[column]}[]`,
    );
    return `unnest(${arrays.join(", ")}) AS ${name}(${names.join(", ")})`;
  }
}

/** JSON escapes such a text as an array does: quotes and backslashes. */
const WITHOUT_OTHER_ESCAPES = /^[^\u0000-\u001f\ud800-\udfff]*$/;

/** An array as Postgres reads it. Content is long, and the driver's own conversion goes through it twice. */
function arrayLiteral(values: readonly Scalar[]): string {
  const elements = values.map((value) => {
    if (typeof value !== "string") return String(value ?? "NULL");
    return WITHOUT_OTHER_ESCAPES.test(value) ? JSON.stringify(value) : `"${value.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${elements.join(",")}}`;
}
