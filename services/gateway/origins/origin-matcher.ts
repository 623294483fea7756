import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { matchesGlob, matchesText } from "#kit/platform/file-paths.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { LinearPattern } from "#kit/schema/linear-pattern.ts";
import { UnsupportedPatternError } from "#kit/schema/pattern-syntax.ts";
import type { GatewayConfig } from "../config.ts";

const PATTERN_PREFIX = "regex:";
/** A scheme, a host name (253 characters at most) and a port are shorter. */
const MAX_ORIGIN_LENGTH = 300;

export interface MatcherConfig extends Pick<GatewayConfig, "CORS_MAPPING" | "CORS_ORIGINS"> {
  /** The path below which the routes are mounted; CORS_MAPPING is of the paths below it. */
  readonly mountPath?: string;
}

/**
 * Whether an origin on the list of CORS_ORIGINS may use a path below CORS_MAPPING. Entries are literal origins, `*` for
 * all, and patterns after `regex:`, which must match the whole origin. `null`, the origin of sandboxed pages and files,
 * must be written out to be allowed.
 */
export function createOriginMatcher({
  CORS_MAPPING,
  CORS_ORIGINS,
  mountPath = "",
}: MatcherConfig): (origin: string, url: string) => boolean {
  const isAllowed = matchOrigins(CORS_ORIGINS);
  if (CORS_MAPPING === EVERY_PATH) return isAllowed;
  return (origin, url) => isAllowed(origin) && matchesPath(CORS_MAPPING, pathBelow(mountPath, url));
}

function pathBelow(mountPath: string, url: string): string {
  return (url.split("?", 1)[0] ?? "").slice(mountPath.length);
}

export const EVERY_PATH = "/**";

function matchOrigins(entries: readonly string[]): (origin: string) => boolean {
  if (entries.includes("*")) return () => true;
  const literals = new Set(entries.filter((entry) => !entry.startsWith(PATTERN_PREFIX)).map(normalise));
  const patterns = entries.filter((entry) => entry.startsWith(PATTERN_PREFIX)).map(toPattern);
  return (origin) =>
    origin.length <= MAX_ORIGIN_LENGTH &&
    (literals.has(normalise(origin)) || patterns.some((pattern) => pattern.test(origin)));
}

function normalise(origin: string): string {
  return trimEndOf(origin.toLowerCase(), "/");
}

function toPattern(entry: string): LinearPattern {
  const source = entry.slice(PATTERN_PREFIX.length);
  try {
    return new LinearPattern(`^(?:${source})$`);
  } catch (error) {
    const why =
      error instanceof UnsupportedPatternError
        ? `uses what this server does not match: ${error.message}. Write it without, or list the origins`
        : "is not a regular expression";
    throw new ConfigurationException(`CORS_ORIGINS: "${entry}" ${why}.`, error);
  }
}

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
