import { lookup as resolve } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { innerAddress } from "./check-url.ts";
import { isMetadataAddress, isPublicAddress } from "./public-address.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host's name to all its addresses. Rejects for an unknown name. */
export type AddressLookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** The resolver of the system. */
export const systemLookup: AddressLookup = async (hostname) => {
  const found = await resolve(hostname, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * Returns the lookup function of one connection. It checks the resolved addresses and passes on exactly those, so a
 * second DNS answer cannot lead the connection elsewhere. A name is refused if one of its addresses is not public. An
 * allowed name may have private addresses, but none on which cloud platforms serve credentials of the machine.
 */
export function checkedLookup(lookup: AddressLookup, isAllowed: boolean): LookupFunction {
  return (hostname, options, callback) => {
    checkedAddresses(hostname, lookup, isAllowed).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

async function checkedAddresses(
  hostname: string,
  lookup: AddressLookup,
  isAllowed: boolean,
): Promise<readonly ResolvedAddress[]> {
  // The dot at the end makes the name absolute: it is not completed with the search domains of the server's network.
  const name = isAllowed || hostname.endsWith(".") ? hostname : `${hostname}.`;
  const addresses = await lookup(name);
  const isCallable = isAllowed
    ? ({ address }: ResolvedAddress) => !isMetadataAddress(address)
    : ({ address }: ResolvedAddress) => isPublicAddress(address);
  if (addresses.length === 0 || !addresses.every(isCallable)) throw innerAddress(hostname);
  return addresses;
}
