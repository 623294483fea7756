import ipaddr from "ipaddr.js";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { isInnerName } from "./host-names.ts";
import { isMetadataAddress, isPublicAddress } from "./public-address.ts";
import { hostOf, portOf } from "./url-parts.ts";

const PORTS: ReadonlySet<string> = new Set(["80", "443"]);

/**
 * Parses a URL and checks what its text shows: scheme, user name, host and port. The IP addresses of a host name are
 * checked later, when a connection to it is opened. Throws `OUTBOUND_ADDRESS_REFUSED`.
 */
export function checkUrl(input: string | URL, allowedHosts: AllowedHosts): URL {
  const url = URL.parse(String(input));
  if (url === null) throw refused("it is not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refused("only http and https are called", url);
  if (url.username !== "" || url.password !== "") throw refused("it has a user name or password", url);
  // A connection to an IP address asks no resolver, so that the address is checked here.
  if (isMetadataAddress(hostOf(url))) throw refused(METADATA, url);
  if (allowedHosts.includes(url)) return url;
  if (!PORTS.has(portOf(url)))
    throw refused(
      `port ${portOf(url)} is not called, only 80 and 443, unless OUTBOUND_ALLOWED_HOSTS names the host`,
      url,
    );
  const host = hostOf(url);
  const isInner = ipaddr.isValid(host) ? !isPublicAddress(host) : isInnerName(host);
  if (isInner) throw refused(INNER, url);
  return url;
}

const METADATA = "cloud platforms serve credentials of the machine on it, and no setting allows it";
const INNER = "it leads into the network of the server, and OUTBOUND_ALLOWED_HOSTS does not name it";

/** The error for a host name that resolves to an address that is not public. */
export function innerAddress(hostname: string): PlatformError {
  return refusedHost(hostname, INNER);
}

function refused(problem: string, url?: URL): PlatformError {
  return url === undefined
    ? new PlatformError("OUTBOUND_ADDRESS_REFUSED", `The address may not be called: ${problem}.`)
    : refusedHost(url.host, problem);
}

/** The message contains only the host: path and query may hold secrets. */
function refusedHost(host: string, problem: string): PlatformError {
  const shown = host.slice(0, 100);
  return new PlatformError(
    "OUTBOUND_ADDRESS_REFUSED",
    `The address of host "${shown}" may not be called: ${problem}.`,
    {
      details: { host: shown },
    },
  );
}
