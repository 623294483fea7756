import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { GatewayConfig } from "./config.ts";

const PATTERN_PREFIX = "regex:";

type MatcherConfig = Pick<GatewayConfig, "CORS_MAPPING" | "CORS_ORIGINS">;

/**
 * Whether an origin on the list of CORS_ORIGINS may use a path below CORS_MAPPING. Entries are literal origins, `*` for
 * all, and patterns after `regex:`, which must match the whole origin. `null`, the origin of sandboxed pages and files,
 * must be written out to be allowed.
 */
export function createOriginMatcher({
  CORS_MAPPING,
  CORS_ORIGINS,
}: MatcherConfig): (origin: string, url: string) => boolean {
  const isAllowed = matchOrigins(CORS_ORIGINS);
  if (CORS_MAPPING === EVERY_PATH) return isAllowed;
  const mapping = toPathPattern(CORS_MAPPING);
  return (origin, url) => mapping.test(url.split("?", 1)[0] ?? "") && isAllowed(origin);
}

export const EVERY_PATH = "/**";

function matchOrigins(entries: readonly string[]): (origin: string) => boolean {
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

/** `/apps/**` covers `/apps` too, as people expect of such patterns. */
function toPathPattern(mapping: string): RegExp {
  const segments = mapping.split("/").filter((segment) => segment !== "");
  const source = segments.map((segment) => (segment === "**" ? "(?:/.*)?" : `/${toSegmentPattern(segment)}`)).join("");
  return new RegExp(`^${source}$`);
}

function toSegmentPattern(segment: string): string {
  return segment.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
}
