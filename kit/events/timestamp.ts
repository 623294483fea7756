/** No event is older than 1973 or later than the year 5138, so a smaller number is in seconds. */
const FIRST_MILLISECONDS = 1e11;

/** The time in whole milliseconds. ADK servers use seconds or milliseconds; the magnitude shows which. */
export function toMilliseconds(instant: number): number {
  return Math.round(instant < FIRST_MILLISECONDS ? instant * 1000 : instant);
}

/** The time in seconds with a fraction. */
export function toSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
