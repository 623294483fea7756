/** Encryption adds at most so much to a text, and a third of its bytes. */
const ENCRYPTION_BYTES = 200;

/**
 * SQL for the characters that a stored text has at least. The length of a text in bytes is known without reading it; a
 * character has up to three bytes, and four when it is encrypted.
 */
export function atLeastCharacters(column: string): string {
  return `greatest(octet_length(${column}) - ${ENCRYPTION_BYTES}, 0) / 4`;
}

/**
 * SQL for the first rows of a table. A row makes their sizes reach `most`, so the page is full; the row after it is
 * included, because it shows that there are more. `most` may be null.
 */
export function untilSize(of: {
  readonly table: string;
  readonly size: string;
  readonly order: string;
  readonly most: string;
}): string {
  const { table, size, order, most } = of;
  const before = `sum(coalesce(${size}, 0)) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)`;
  return `SELECT * FROM (SELECT ${table}.*, ${before} AS before FROM ${table}) AS measured
    WHERE ${most}::bigint IS NULL OR coalesce(before, 0) < ${most}::bigint`;
}
