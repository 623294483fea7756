import { isIP } from "node:net";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { GatewayConfig } from "../config.ts";

type HostConfig = Pick<GatewayConfig, "HOST" | "ALLOWED_HOSTS" | "CORS_ORIGINS">;

const MAX_SHOWN_LENGTH = 200;
const MAX_CACHED_HOSTS = 32;

/**
 * Returns the reason to refuse a request with this host name, or undefined. A page can point its own name at any
 * address and be "same origin" with the server there (DNS rebinding), so only names that no page can have are allowed:
 * those of the settings, and names of the loopback. Off loopback that is also every IP address, which cannot be pointed
 * elsewhere, and every name without a dot, which only the operator's own network resolves: probes, forwarded ports and
 * containers beside this one need no setting.
 */
export function createHostCheck(config: HostConfig): (host: string | undefined) => PlatformError | undefined {
  const isAllowed = matchHosts(config);
  const accepted = new Set<string>();
  return (host) => {
    // HTTP/1.0 has no Host; browsers always send one.
    if (host === undefined || accepted.has(host)) return undefined;
    if (isAllowed(host.toLowerCase())) {
      if (accepted.size < MAX_CACHED_HOSTS) accepted.add(host);
      return undefined;
    }
    const shown = host.slice(0, MAX_SHOWN_LENGTH);
    const message = `Forbidden: this server is not known as ${shown}. Add the name to ALLOWED_HOSTS.`;
    return new PlatformError("HOST_NOT_ALLOWED", message, { details: { host: shown } });
  };
}

function matchHosts({ HOST, ALLOWED_HOSTS, CORS_ORIGINS }: HostConfig): (host: string) => boolean {
  if (ALLOWED_HOSTS.includes("*")) return () => true;
  const names = ALLOWED_HOSTS.map((name) => name.toLowerCase());
  const suffixes = names.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
  const exact = new Set([...names, ...CORS_ORIGINS.map(hostOf).filter((host) => host !== undefined)]);
  const isOnNetwork = !isLoopbackName(HOST);
  return (host) => {
    const name = withoutPort(host).replace(/\.$/, "");
    if (isLoopbackName(name) || exact.has(host) || exact.has(name)) return true;
    if (suffixes.some((suffix) => name.endsWith(suffix))) return true;
    return isOnNetwork && name !== "" && (isIP(withoutBrackets(name)) !== 0 || !name.includes("."));
  };
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function withoutPort(host: string): string {
  return host.replace(/:\d{0,5}$/, "");
}

function withoutBrackets(name: string): string {
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}

/** `localhost` and names below it, 127.0.0.0/8, ::1; no public name server can answer for these. */
export function isLoopbackName(name: string): boolean {
  const lower = withoutBrackets(name.toLowerCase());
  if (lower === "localhost" || lower.endsWith(".localhost") || lower === "::1" || lower === "::ffff:127.0.0.1")
    return true;
  const numbers = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(lower);
  return numbers?.slice(1).every((part) => Number(part) <= 255) === true;
}
