/** When the month begins that is `offset` months after the one of the time, in UTC; all in ms since the epoch. */
export function utcMonthStart(timeMs: number, offset = 0): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}
