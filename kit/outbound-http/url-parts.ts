import { trimEndOf } from "#kit/platform/trim-end.ts";

/** The host of a URL in lower case, without the brackets of an IPv6 address and without dots at its end. */
export function hostOf({ hostname }: URL): string {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return trimEndOf(hostname.toLowerCase(), ".");
}

/** The port that the URL names, or its scheme's. */
export function portOf({ port, protocol }: URL): string {
  if (port !== "") return port;
  return protocol === "https:" || protocol === "wss:" ? "443" : "80";
}
