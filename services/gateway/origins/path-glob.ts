import { matchesGlob, matchesText } from "#kit/platform/file-paths.ts";

/**
 * Whether a path fits a mapping such as `/apps/**`: `**` stands for any number of segments, none included, and `*` for
 * any part of one segment. Empty segments of the mapping are ignored. Takes at most as many steps as both have
 * characters, multiplied.
 */
export function matchesPath(mapping: string, path: string): boolean {
  const pattern = mapping.split("/").filter((segment) => segment !== "");
  if (path !== "" && !path.startsWith("/")) return false;
  return matchesGlob(pattern, path.split("/").slice(1), "**", matchesText);
}
