/** Times of deliveries, in milliseconds. */

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60 * 60 * 1000;
const FACTOR = 3;
/** How long a notification is tried before its receiver is given up. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000;

/** A task that waits for its client is read again after a part of the time that it has waited. */
const WAITED_PART = 4;
const MIN_CHECK_MS = 5_000;
const MAX_CHECK_MS = 5 * 60 * 1000;

/**
 * The pause after so many failures in a row: a second, three times as long after each further one, at most an hour. It is
 * shortened at random by up to a half, so that the notifications of many tasks do not come together.
 */
export function retryDelay(failures: number, random: () => number = Math.random): number {
  const delay = Math.min(FIRST_RETRY_MS * FACTOR ** (failures - 1), MAX_RETRY_MS);
  return Math.round(delay * (1 - random() / 2));
}

/** The pause in seconds that a receiver asks for in the header `Retry-After`; undefined if it names none, or a date. */
export function askedDelay(header: string | null): number | undefined {
  return /^\d{1,9}$/.test(header ?? "") ? Math.min(Number(header) * 1000, MAX_RETRY_MS) : undefined;
}

export function isGivenUp(failingSinceMs: number, nowMs: number): boolean {
  return nowMs - failingSinceMs >= GIVE_UP_AFTER_MS;
}

/** When a task that has waited since then is read again. Whoever answers it through this protocol makes it due. */
export function checkDelay(waitingSinceMs: number, nowMs: number): number {
  return Math.min(Math.max((nowMs - waitingSinceMs) / WAITED_PART, MIN_CHECK_MS), MAX_CHECK_MS);
}
