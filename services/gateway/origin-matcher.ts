import { ConfigurationException } from "#kit/errors/kit-errors.ts";

const PATTERN_PREFIX = "regex:";

/**
 * Whether an origin is on the list of CORS_ORIGINS: literal origins, `*` for all, and patterns after `regex:`, which must
 * match the whole origin. `null`, the origin of sandboxed pages and files, must be written out to be allowed.
 */
export function createOriginMatcher(entries: readonly string[]): (origin: string) => boolean {
  if (entries.includes("*")) return () => true;
  const literals = new Set(entries.filter((entry) => !entry.startsWith(PATTERN_PREFIX)).map(normalise));
  const patterns = entries.filter((entry) => entry.startsWith(PATTERN_PREFIX)).map(toPattern);
  return (origin) => literals.has(normalise(origin)) || patterns.some((pattern) => pattern.test(origin));
}

function normalise(origin: string): string {
  return origin.toLowerCase().replace(/\/+$/, "");
}

function toPattern(entry: string): RegExp {
  const source = entry.slice(PATTERN_PREFIX.length);
  try {
    return new RegExp(`^(?:${source})$`);
  } catch (error) {
    throw new ConfigurationException(`CORS_ORIGINS: "${entry}" is not a regular expression.`, error);
  }
}
