import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { isIdentifier } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT, isTenantId } from "#kit/names/tenant.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Caller } from "./caller.ts";
import { singleHeader } from "./credentials.ts";
import type { IdentityConfig } from "./identity-settings.ts";
import { invalidCredentials } from "./refusals.ts";
import { ScopeMap } from "./scope-map.ts";

export type ProxyConfig = Pick<
  IdentityConfig,
  "TRUSTED_PROXIES" | "PROXY_USER_HEADER" | "PROXY_GROUPS_HEADER" | "PROXY_TENANT_HEADER" | "PROXY_SCOPE_MAP"
>;

/**
 * Reads the user that a trusted proxy names in a header. Requests from other addresses have no such credentials,
 * whatever their headers say.
 */
export class ProxyAuthenticator implements Authenticator {
  readonly #proxies: BlockList;
  readonly #scopes: ScopeMap;
  readonly #userHeader: string;
  readonly #groupsHeader: string;
  /** Empty if there are no tenants. */
  readonly #tenantHeader: string;

  /** `problems` gets what is wrong with the settings. */
  constructor(config: ProxyConfig, problems: string[]) {
    this.#proxies = addressList(config.TRUSTED_PROXIES, problems);
    this.#scopes = ScopeMap.ofSetting(config.PROXY_SCOPE_MAP, "PROXY_SCOPE_MAP", problems);
    this.#userHeader = config.PROXY_USER_HEADER.toLowerCase();
    this.#groupsHeader = config.PROXY_GROUPS_HEADER.toLowerCase();
    this.#tenantHeader = config.PROXY_TENANT_HEADER.toLowerCase();
  }

  authenticate(request: IncomingMessage): Caller | undefined {
    if (request.headers[this.#userHeader] === undefined || !this.#isTrusted(request.socket.remoteAddress))
      return undefined;
    const userId = textOf(singleHeader(request, this.#userHeader));
    if (!isIdentifier(userId)) throw invalidCredentials("The proxy's header names no valid user.");
    const groups = textOf(singleHeader(request, this.#groupsHeader))
      .split(",")
      .map((group) => group.trim());
    const named = groups.filter((group) => group !== "");
    return {
      source: "proxy",
      subject: `proxy:${userId}`,
      tenantId: this.#tenantOf(request),
      userId,
      apps: undefined,
      groups: named,
      scopes: this.#scopes.scopesOf(named),
    };
  }

  #tenantOf(request: IncomingMessage): string {
    if (this.#tenantHeader === "") return DEFAULT_TENANT;
    const tenantId = singleHeader(request, this.#tenantHeader) ?? "";
    if (!isTenantId(tenantId)) throw invalidCredentials("The proxy's header names no valid tenant.");
    return tenantId;
  }

  #isTrusted(address: string | undefined): boolean {
    if (address === undefined) return false;
    // An IPv4 address in the form of IPv6 counts as IPv4.
    return this.#proxies.check(address, address.includes(":") ? "ipv6" : "ipv4");
  }
}

/** Node reads each byte of a header as a character; proxies send UTF-8. Empty for bytes that are not. */
function textOf(header: string | undefined): string {
  const bytes = Buffer.from(header ?? "", "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : "";
}

/** Infinite for a text that is not a number. */
function prefixOf(bits: string): number {
  return /^\d{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
}

function addressList(entries: readonly string[], problems: string[]): BlockList {
  const list = new BlockList();
  if (entries.length === 0)
    problems.push("TRUSTED_PROXIES is not set, and AUTH=proxy needs it: the addresses of the proxies.");
  for (const entry of entries) {
    const [address = "", bits, ...rest] = entry.split("/");
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : prefixOf(bits);
    if (family === 0 || rest.length > 0 || prefix > most)
      problems.push(`TRUSTED_PROXIES: ${entry} is not an address or network such as 10.0.0.0/8.`);
    else list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
