import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";

/** The member of each message that names something of a tenant. It is always written: no receiver assumes one. */
export function toTenantMember(name: TenantScoped): { readonly tenantId: string } {
  return { tenantId: tenantOf(name) };
}

/** The tenant that a message names. Throws `INVALID_FIELD` if it names none. */
export function fromTenantMember({ tenantId }: { readonly tenantId: string }): TenantScoped {
  if (tenantId !== "") return inTenant(tenantId);
  throw new PlatformError("INVALID_FIELD", "The message names no tenant: set tenantId, to default if there are none.", {
    details: { field: "tenantId" },
  });
}
