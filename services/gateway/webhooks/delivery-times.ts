/** The pauses after the first failure, the second and so on: a message is tried ten times within three days. */
export const RETRY_SECONDS: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** A message that is older, and has been tried, is not tried again. */
const GIVE_UP_AFTER_MS = RETRY_SECONDS.reduce((sum, seconds) => sum + seconds, 0) * 1000;
/** The part of a pause that is added at random, so that messages that failed together do not come together. */
const JITTER = 0.2;

/**
 * The pause after so many attempts of a message that is so old; undefined if it is given up. `askedMs` is the pause that
 * the receiver asks for, and makes it longer, up to the longest of the table.
 */
export function retryDelay(
  { attempts, ageMs, askedMs = 0 }: { readonly attempts: number; readonly ageMs: number; readonly askedMs?: number },
  random: () => number = Math.random,
): number | undefined {
  const seconds = RETRY_SECONDS[attempts - 1];
  if (seconds === undefined || ageMs >= GIVE_UP_AFTER_MS * (1 + JITTER)) return undefined;
  const longest = (RETRY_SECONDS.at(-1) ?? 0) * 1000;
  return Math.round(Math.max(seconds * 1000 * (1 + random() * JITTER), Math.min(askedMs, longest)));
}
