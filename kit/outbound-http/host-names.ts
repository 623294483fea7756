import ipaddr from "ipaddr.js";

/**
 * Last labels of host names that are resolved within a private network; `svc` is that of services of a Kubernetes
 * cluster.
 */
const INNER_SUFFIXES: ReadonlySet<string> = new Set([
  ...["internal", "local", "localhost", "localdomain", "lan", "home", "corp", "intranet", "private", "svc"],
]);

const METADATA_NAMES: ReadonlySet<string> = new Set(["metadata.goog", "metadata.google.internal", "home.arpa"]);

/**
 * Whether the host name is one that only the server's own network resolves, such as `localhost`. False for an IP
 * address.
 */
export function isInnerName(host: string): boolean {
  if (ipaddr.isValid(host)) return false;
  const labels = host.split(".");
  if (labels.length < 2) return true;
  if (INNER_SUFFIXES.has(labels.at(-1) ?? "")) return true;
  return METADATA_NAMES.has(host) || METADATA_NAMES.has(labels.slice(-2).join("."));
}

/** Whether the suffix of an entry `*.suffix` is not a host name: it is empty or an IP address. */
export function isNoHostName(suffix: string): boolean {
  return suffix === "" || ipaddr.isValid(suffix);
}
