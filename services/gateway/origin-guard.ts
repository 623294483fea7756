import type { IncomingHttpHeaders } from "node:http";
import type { onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { GatewayConfig } from "./config.ts";
import { createOriginMatcher } from "./origin-matcher.ts";

type GuardConfig = Pick<GatewayConfig, "HOST" | "CORS_MAPPING" | "CORS_ORIGINS">;

/** The reason why a request must be refused for where it comes from, or undefined. Serves WebSocket upgrades as well. */
export type OriginCheck = (request: {
  readonly headers: IncomingHttpHeaders;
  readonly url?: string | undefined;
}) => PlatformError | undefined;

/**
 * Keeps pages of other sites away from a server that browsers reach without a login. A page's request carries its
 * `Origin`, which must be ours or allowed. On a loopback address, `Host` must name the loopback too: otherwise a page
 * could point its own name at this machine and be "same origin". Requests without an Origin come from programs.
 */
export function createOriginCheck(config: GuardConfig): OriginCheck {
  const isAllowedOrigin = createOriginMatcher(config);
  const checkHost = isLoopbackName(config.HOST) ? createHostCheck(config.CORS_ORIGINS) : () => undefined;
  return ({ headers, url = "/" }) => {
    const refusal = checkHost(headers.host);
    if (refusal) return refusal;
    const { origin } = headers;
    if (origin === undefined || isSameOrigin(origin, headers) || isAllowedOrigin(origin, url)) return undefined;
    const shown = origin.slice(0, MAX_SHOWN_LENGTH);
    return new PlatformError(
      "ORIGIN_NOT_ALLOWED",
      `Forbidden: the origin ${shown} is not allowed. Add it to CORS_ORIGINS.`,
      {
        details: { origin: shown },
      },
    );
  };
}

export function originGuard({
  config,
  logger,
}: {
  readonly config: GuardConfig;
  readonly logger: Logger;
}): onRequestHookHandler {
  const check = createOriginCheck(config);
  return (request, _reply, done) => {
    const refusal = check(request);
    if (refusal === undefined) {
      done();
      return;
    }
    const { host, forwarded, "x-forwarded-host": forwardedHost } = request.headers;
    logger.warn(
      { requestId: request.id, reason: refusal.reason, ...refusal.details, host, forwarded, forwardedHost },
      "request refused",
    );
    done(refusal);
  };
}

const MAX_SHOWN_LENGTH = 200;
const MAX_CACHED_HOSTS = 32;

function createHostCheck(corsOrigins: readonly string[]): (host: string | undefined) => PlatformError | undefined {
  const allowedHosts = new Set(corsOrigins.map(hostOf).filter((host) => host !== undefined));
  const accepted = new Set<string>();
  return (host) => {
    // HTTP/1.0 has no Host; browsers always send one.
    if (host === undefined || accepted.has(host)) return undefined;
    if (isLoopbackName(withoutPort(host)) || allowedHosts.has(host.toLowerCase())) {
      if (accepted.size < MAX_CACHED_HOSTS) accepted.add(host);
      return undefined;
    }
    const shown = host.slice(0, MAX_SHOWN_LENGTH);
    const message = `Forbidden: this server answers on the loopback address only, not as ${shown}. Add its origin to CORS_ORIGINS, or set HOST.`;
    return new PlatformError("HOST_NOT_ALLOWED", message, { details: { host: shown } });
  };
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}

/** `localhost` and names below it, 127.0.0.0/8, ::1; nothing that a public name server could answer for. */
export function isLoopbackName(name: string): boolean {
  const lower = name.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (lower === "localhost" || lower.endsWith(".localhost") || lower === "::1" || lower === "::ffff:127.0.0.1")
    return true;
  const numbers = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(lower);
  return numbers?.slice(1).every((part) => Number(part) <= 255) === true;
}

/**
 * Whether the origin is the address under which the client sees this server. A page cannot forge the forwarding headers:
 * a request with them is preflighted, and the preflight has none.
 */
function isSameOrigin(origin: string, headers: IncomingHttpHeaders): boolean {
  const { host, scheme } = publicAddress(headers);
  if (host === undefined) return false;
  // Without word from the proxy the scheme is unknown: one that ends TLS forwards plain HTTP.
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
