import type { IncomingHttpHeaders } from "node:http";
import type { onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { RateBudget } from "#ports/quota/rate-budget.ts";
import type { GatewayConfig } from "../config.ts";
import { createHostCheck, isLoopbackName } from "./host-check.ts";
import { createOriginMatcher, type MatcherConfig } from "./origin-matcher.ts";

type GuardConfig = Pick<GatewayConfig, "HOST" | "ALLOWED_HOSTS"> & MatcherConfig;

/** Methods that change nothing. */
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns the reason to refuse a request because of its origin, or undefined. Used for WebSocket upgrades as well. */
export type OriginCheck = (request: {
  readonly headers: IncomingHttpHeaders;
  readonly url?: string | undefined;
  readonly method?: string | undefined;
}) => PlatformError | undefined;

/**
 * Protects a server that browsers reach without a login from pages of other sites. A page's request has an `Origin`,
 * which must be ours or allowed, and names the server in `Host`: see `createHostCheck`. A request that changes data is
 * also refused if the browser reports that it comes from another site. Requests without these headers come from
 * programs.
 */
export function createOriginCheck(config: GuardConfig): OriginCheck {
  const isAllowedOrigin = createOriginMatcher(config);
  const checkHost = createHostCheck(config);
  return ({ headers, url = "/", method = "GET" }) => {
    const refusal = checkHost(headers.host);
    if (refusal) return refusal;
    const { origin } = headers;
    const isOwn = origin === undefined || isSameOrigin(origin, headers);
    if (isOwn && (headers["sec-fetch-site"] !== "cross-site" || SAFE_METHODS.has(method))) return undefined;
    if (origin !== undefined && isAllowedOrigin(origin, url)) return undefined;
    const named = shown(origin) ?? "of another site";
    return new PlatformError(
      "ORIGIN_NOT_ALLOWED",
      `Forbidden: the origin ${named} is not allowed. Add it to CORS_ORIGINS.`,
      { details: { origin: named } },
    );
  };
}

/** Anybody can be refused as often as they like, so the log has so many of the lines and the number of the others. */
const LINES_PER_SECOND = 1;
const MOST_SAVED_LINES = 100;

export function originGuard({
  config,
  logger,
  clock,
}: {
  readonly config: GuardConfig;
  readonly logger: Logger;
  readonly clock: Clock;
}): onRequestHookHandler {
  const check = createOriginCheck(config);
  const lines = new RateBudget({ clock, perSecond: LINES_PER_SECOND, mostSaved: MOST_SAVED_LINES });
  let leftOut = 0;
  if (config.ALLOWED_HOSTS.includes("*") && !isLoopbackName(config.HOST))
    logger.warn(
      { host: config.HOST },
      "ALLOWED_HOSTS has *: pages of other sites can reach this server by DNS rebinding",
    );
  return (request, _reply, done) => {
    const refusal = hasOneHost(request.raw.rawHeaders) ? check(request) : twoHosts();
    if (refusal === undefined) {
      done();
      return;
    }
    if (!lines.take()) {
      leftOut += 1;
      done(refusal);
      return;
    }
    const { host, forwarded, "x-forwarded-host": forwardedHost } = request.headers;
    logger.warn(
      {
        ...{ requestId: request.id, reason: refusal.reason, ...refusal.details },
        ...{ host: shown(host), forwarded: shown(forwarded), forwardedHost: shown(forwardedHost) },
        leftOut: leftOut > 0 ? leftOut : undefined,
      },
      "request refused",
    );
    leftOut = 0;
    done(refusal);
  };
}

/** Proxies and servers may disagree about which of several Host headers is valid. */
function hasOneHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts < 2;
}

function twoHosts(): PlatformError {
  return new PlatformError("MALFORMED_REQUEST", "The request has more than one Host header.");
}

const MAX_SHOWN_LENGTH = 200;

/** Headers may be long, and everybody can send them. */
function shown(header: string | readonly string[] | undefined): string | undefined {
  return header?.toString().slice(0, MAX_SHOWN_LENGTH);
}

/**
 * Whether the origin is the address under which the client sees this server. A page cannot forge the forwarding
 * headers: a request with them is preflighted, and the preflight has none.
 */
function isSameOrigin(origin: string, headers: IncomingHttpHeaders): boolean {
  const { host, scheme } = publicAddress(headers);
  if (host === undefined) return false;
  // Without a header of the proxy the scheme is unknown: a proxy that ends TLS forwards plain HTTP.
  if (scheme === undefined) return isOriginOf(origin, "http", host) || isOriginOf(origin, "https", host);
  return isOriginOf(origin, scheme, host);
}

function isOriginOf(origin: string, scheme: string, host: string): boolean {
  const defaultPort = scheme === "https" ? ":443" : ":80";
  const authority = host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host;
  return origin.toLowerCase() === `${scheme}://${authority}`.toLowerCase();
}

interface PublicAddress {
  readonly host: string | undefined;
  readonly scheme: string | undefined;
}

function publicAddress(headers: IncomingHttpHeaders): PublicAddress {
  const forwarded = parseForwarded(headers.forwarded);
  const scheme = forwarded["proto"] ?? firstOf(headers["x-forwarded-proto"]);
  const host = forwarded["host"] ?? firstOf(headers["x-forwarded-host"]) ?? headers.host;
  return { host, scheme: scheme?.toLowerCase() };
}

/** The first hop's parameters, from `Forwarded: for=…;host="example.com";proto=https, …` (RFC 7239). */
function parseForwarded(header: string | undefined): Readonly<Record<string, string | undefined>> {
  if (header === undefined) return {};
  const first = header.split(",", 1)[0] ?? "";
  const pairs = first.split(";").map((pair) => {
    const [name = "", value = ""] = pair.split("=", 2);
    return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")] as const;
  });
  return Object.fromEntries(pairs.filter(([, value]) => value !== ""));
}

/** The value that the outermost proxy wrote. */
function firstOf(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === "string" ? header : header?.[0];
  const first = text?.split(",", 1)[0]?.trim();
  return first === "" ? undefined : first;
}
