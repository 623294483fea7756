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

/**
 * Whether the text is an IP address on which a cloud platform serves credentials or settings of the machine, directly or
 * by translation of an IPv4 address. No setting allows these.
 */
export function isMetadataAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address.range() === "linkLocal" || METADATA_ADDRESSES.has(address.toString())) return true;
  return address.kind() === "ipv6" && embeddedAddresses(address.toByteArray()).some(isMetadataAddress);
}

/** Azure's host, which looks public. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** Beside the link-local ones: of Alibaba, Oracle (two), Amazon (three), Google and Scaleway, in this order. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  ...PLATFORM_ADDRESSES,
  ...["100.100.100.200", "192.0.0.192", "fd00:c1::a9fe:a9fe", "fd00:ec2::254", "fd00:ec2::23", "fd00:ec2::253"],
  ...["fd20:ce::254", "fd00:42::42"],
]);

/**
 * The IPv4 addresses that an IPv6 address may stand for: of NAT64 and IPv4-compatible ones at the end, of NAT64 with
 * other prefixes around the ninth byte, of 6to4 after the prefix, of Teredo inverted at the end.
 */
function embeddedAddresses(bytes: readonly number[]): readonly string[] {
  const at = (...places: readonly number[]): string => places.map((place) => bytes[place] ?? 0).join(".");
  const [first, second] = bytes;
  if (first === 0x20 && second === 0x02) return [at(2, 3, 4, 5)];
  if (first === 0x20 && second === 0x01 && bytes[2] === 0 && bytes[3] === 0)
    return [
      bytes
        .slice(12)
        .map((byte) => byte ^ 0xff)
        .join("."),
      at(4, 5, 6, 7),
    ];
  const isNat64 = first === 0 && second === 0x64 && bytes[2] === 0xff && bytes[3] === 0x9b;
  const isCompatible = bytes.slice(0, 10).every((byte) => byte === 0);
  if (isNat64)
    return [at(12, 13, 14, 15), at(6, 7, 9, 10), at(5, 6, 7, 9), at(4, 5, 6, 7), at(7, 9, 10, 11), at(9, 10, 11, 12)];
  return isCompatible ? [at(12, 13, 14, 15)] : [];
}

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** An IPv4 address that IPv6 contains is read as the IPv4 address. */
function parseAddress(text: string): ReturnType<typeof ipaddr.process> | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}
