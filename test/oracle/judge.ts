import { type Difference, isListed, isOutOfReach, type ListedDifference, type NotReached } from "./difference.ts";

export interface Judged {
  /** Differences that nobody has decided on. */
  readonly unlisted: readonly Difference[];
  /** Entries that match no difference and are not optional. */
  readonly idle: readonly ListedDifference[];
  /** Entries that are out of reach and agree nevertheless. */
  readonly reached: readonly NotReached[];
  /** Number of differences that each entry explains. */
  readonly counts: ReadonlyMap<ListedDifference, number>;
}

/** Compares the differences that the replay found with the listed ones. */
export function judge(
  differences: readonly Difference[],
  listed: readonly ListedDifference[],
  notReached: readonly NotReached[],
): Judged {
  const counts = new Map(listed.map((entry) => [entry, 0]));
  const unlisted: Difference[] = [];
  const outOfReach = new Set<NotReached>();
  for (const difference of differences) {
    const entries = listed.filter((entry) => isListed(difference, entry));
    const missing = notReached.filter((entry) => isOutOfReach(difference, entry));
    if (missing.length === 0) for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1);
    if (entries.length > 0) continue;
    if (missing.length === 0) unlisted.push(difference);
    for (const entry of missing) outOfReach.add(entry);
  }
  return {
    unlisted,
    idle: listed.filter((entry) => counts.get(entry) === 0 && entry.optional !== true),
    reached: notReached.filter((entry) => !outOfReach.has(entry)),
    counts,
  };
}
