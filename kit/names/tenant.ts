import { PlatformError } from "../errors/platform-error.ts";

/** The tenant of all names that have none. */
export const DEFAULT_TENANT = "default";

/** The tenant that a name belongs to: the same app, user and session exist in each tenant independently of the others. */
export interface TenantScoped {
  /** `DEFAULT_TENANT` if absent. Stores return names of that tenant without it. */
  readonly tenantId?: string;
}

// Valid in paths, object names, Firestore ids and Redis keys without escaping, and distinct where letters have no case.
const TENANT_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function tenantOf({ tenantId = DEFAULT_TENANT }: TenantScoped): string {
  return tenantId;
}

/** The member of a name that puts it into the tenant: none for `DEFAULT_TENANT`, so that equal names are equal values. */
export function inTenant(tenantId: string | undefined): TenantScoped {
  return tenantId === undefined || tenantId === DEFAULT_TENANT ? {} : { tenantId };
}

/** One text for a name in a tenant, distinct for distinct pairs. The name does not begin with a line feed. */
export function tenantKey(name: string, tenantId: string | undefined): string {
  return tenantId === undefined || tenantId === DEFAULT_TENANT ? name : `\n${tenantId}\n${name}`;
}

/** The name and tenant of a `tenantKey`. */
export function fromTenantKey(key: string): TenantScoped & { readonly name: string } {
  const end = key.startsWith("\n") ? key.indexOf("\n", 1) : -1;
  return end === -1 ? { name: key } : { ...inTenant(key.slice(1, end)), name: key.slice(end + 1) };
}

export function isTenantId(text: string): boolean {
  return TENANT_ID.test(text);
}

/** Throws `INVALID_IDENTIFIER` unless the name's tenant has 1 to 63 of `a-z`, `0-9` and inner `-`. */
export function assertTenant({ tenantId }: TenantScoped): void {
  if (tenantId === undefined || isTenantId(tenantId)) return;
  throw new PlatformError(
    "INVALID_IDENTIFIER",
    "tenantId must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit.",
    { details: { field: "tenantId" } },
  );
}
