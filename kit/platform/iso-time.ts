/** Milliseconds since the epoch as ISO 8601 in UTC. */
export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Milliseconds since the epoch, or undefined if the text is not a date. A time without a zone is read as UTC. */
export function fromIsoTime(text: string): number | undefined {
  const hasZone = !text.includes("T") || /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const timeMs = Date.parse(hasZone ? text : `${text}Z`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** Milliseconds since the epoch of a date as HTTP headers have it, or of ISO 8601; undefined for any other text. */
export function fromHeaderDate(text: string): number | undefined {
  const timeMs = /^[A-Za-z]{3,9},? |^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** A `Date` for libraries that ask for one. */
export function dateOf(timeMs: number): Date {
  return new Date(timeMs);
}

/** The instant of a time of day in UTC; months are counted from 1, in ms since the epoch. */
export function utcTime(
  date: Readonly<Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>>,
): number {
  const { year, month, day, hour, minute, second } = date;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** When the month begins that is `offset` months after the one of the time, in UTC; all in ms since the epoch. */
export function utcMonthStart(timeMs: number, offset = 0): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}
