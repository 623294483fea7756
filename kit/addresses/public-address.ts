import ipaddr from "ipaddr.js";

/**
 * Whether the text is an IP address of the public internet. Addresses of private and reserved networks are not, and
 * neither are those that lead to an IPv4 address by translation or a tunnel: NAT64, 6to4, Teredo, IPv4-compatible ones.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || address.range() !== "unicast") return false;
  if (address.kind() === "ipv4") return !PLATFORM_ADDRESSES.has(address.toString());
  return address.match(GLOBAL_UNICAST);
}

/** Whether the text is a link-local IP address: cloud platforms serve credentials of the machine on them. */
export function isLinkLocal(text: string): boolean {
  return parseAddress(text)?.range() === "linkLocal";
}

/** Addresses that look public but belong to the cloud platform itself: Azure's host. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** An IPv4 address that IPv6 contains is read as the IPv4 address. */
function parseAddress(text: string): ReturnType<typeof ipaddr.process> | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}
