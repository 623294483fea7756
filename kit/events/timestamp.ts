/** No event is older than 1973, and none is later than the year 5138: below this an instant counts seconds. */
const FIRST_MILLISECONDS = 1e11;

/** The instant in whole milliseconds. Servers of the family count in seconds or in milliseconds; the magnitude tells. */
export function toMilliseconds(instant: number): number {
  return Math.round(instant < FIRST_MILLISECONDS ? instant * 1000 : instant);
}

/** The instant in seconds with a fraction. */
export function toSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
