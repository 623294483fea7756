import { PlatformError } from "#kit/errors/platform-error.ts";
import { isNoHostName } from "./host-names.ts";
import { hostOf, portOf } from "./url-parts.ts";

/** Hosts that may be called although they are in the server's own network, or have another port than 80 and 443. */
export interface AllowedHosts {
  /** Whether an entry names the URL's host, and its port if the entry has one. */
  includes(url: URL): boolean;
}

interface Entry {
  readonly host: string;
  readonly isSuffix: boolean;
  readonly port: string | undefined;
}

/**
 * Reads entries of the forms `host`, `host:port`, `*.suffix` and `*.suffix:port`; an IPv6 address has brackets. An entry
 * without a port allows every port. Throws `CONFIGURATION` for an entry of another form.
 */
export function readAllowedHosts(entries: readonly string[], setting = "OUTBOUND_ALLOWED_HOSTS"): AllowedHosts {
  const allowed = entries.map((entry) => readEntry(entry, setting));
  return {
    includes: (url) => {
      const host = hostOf(url);
      const port = portOf(url);
      return allowed.some((entry) => fits(entry, host) && (entry.port === undefined || entry.port === port));
    },
  };
}

function fits({ host, isSuffix }: Entry, named: string): boolean {
  return isSuffix ? named.endsWith(`.${host}`) : named === host;
}

function readEntry(text: string, setting: string): Entry {
  const isSuffix = text.startsWith("*.");
  const rest = isSuffix ? text.slice(2) : text;
  // The scheme only serves to parse the host. The port is read from the text, because a URL omits the default port of
  // its scheme.
  const url = URL.parse(`ws://${rest}`);
  const port = /:(\d{1,5})$/.exec(rest)?.[1];
  if (url === null || rest.endsWith(":") || /[\s/?#@\\*]/.test(rest)) throw fault(text, setting);
  const host = hostOf(url);
  if (isSuffix && isNoHostName(host)) throw fault(text, setting);
  return { host, isSuffix, port };
}

function fault(entry: string, setting: string): PlatformError {
  return new PlatformError(
    "CONFIGURATION",
    `${setting} has the entry "${entry.slice(0, 100)}": write host, host:port or *.suffix, such as mcp.example.internal:8080.`,
  );
}
