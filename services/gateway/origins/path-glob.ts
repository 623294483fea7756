/**
 * Whether a path fits a mapping such as `/apps/**`: `**` stands for any number of segments, none included, and `*` for
 * any part of one segment. Empty segments of the mapping are ignored. Takes at most as many steps as both have
 * characters, multiplied.
 */
export function matchesPath(mapping: string, path: string): boolean {
  const pattern = mapping.split("/").filter((segment) => segment !== "");
  if (path !== "" && !path.startsWith("/")) return false;
  return matchesGlob(pattern, path.split("/").slice(1), "**", matchesSegment);
}

function matchesSegment(pattern: string, segment: string): boolean {
  return matchesGlob(pattern.split(""), segment.split(""), "*", (expected, character) => expected === character);
}

/**
 * After a mismatch only the newest wildcard takes one item more: what an earlier one could take, the newest one can as
 * well.
 */
function matchesGlob<Item>(
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
