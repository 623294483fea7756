import { relative, sep } from "node:path";

/** Whether the text fits the pattern, in which `*` stands for any text, the empty one included. */
export function matchesText(pattern: string, text: string): boolean {
  return matchesGlob([...pattern], [...text], "*", (expected, character) => expected === character);
}

/**
 * Whether the items fit the pattern, in which `wildcard` stands for any number of items. Takes at most m × n steps for
 * m and n items: after a mismatch only the newest wildcard is extended by one item. An earlier wildcard never has to be
 * extended, because the newest one can match the same items.
 */
export function matchesGlob<Item>(
  pattern: readonly Item[],
  items: readonly Item[],
  wildcard: Item,
  fits: (expected: Item, item: Item) => boolean,
): boolean {
  let next = 0;
  let resumeAt: { pattern: number; item: number } | undefined;
  for (let at = 0; at < items.length; ) {
    const expected = pattern[next];
    const item = items[at];
    if (expected === wildcard) {
      next += 1;
      resumeAt = { pattern: next, item: at };
    } else if (expected !== undefined && item !== undefined && fits(expected, item)) {
      next += 1;
      at += 1;
    } else if (resumeAt !== undefined) {
      resumeAt.item += 1;
      next = resumeAt.pattern;
      at = resumeAt.item;
    } else return false;
  }
  return pattern.slice(next).every((rest) => rest === wildcard);
}

/** Whether the path is the folder itself or below it. Both are absolute; links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
