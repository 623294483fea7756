import ipaddr from "ipaddr.js";

/** Last labels of names that mean something else in each network; `svc` names services of a Kubernetes cluster. */
const INNER_SUFFIXES: ReadonlySet<string> = new Set([
  ...["internal", "local", "localhost", "localdomain", "lan", "home", "corp", "intranet", "private", "svc"],
]);

const METADATA_NAMES: ReadonlySet<string> = new Set(["metadata.goog", "metadata.google.internal", "home.arpa"]);

/** Whether a host is named in a way that has a meaning in the server's own network only. An IP address is no name. */
export function isInnerName(host: string): boolean {
  if (ipaddr.isValid(host)) return false;
  const labels = host.split(".");
  if (labels.length < 2) return true;
  if (INNER_SUFFIXES.has(labels.at(-1) ?? "")) return true;
  return METADATA_NAMES.has(host) || METADATA_NAMES.has(labels.slice(-2).join("."));
}

/** Whether a suffix of allowed names is no name: an empty one, or an IP address. */
export function isTooWide(suffix: string): boolean {
  return suffix === "" || ipaddr.isValid(suffix);
}
