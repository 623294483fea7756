import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Owner } from "../security/principal.ts";

interface CountMessage {
  readonly tenantId: string;
  readonly scope: string;
  readonly name: string;
}

/** One user's counts are the user's to read; all others are of every user. Throws `INVALID_FIELD` for several tenants. */
export function ownerOfCounts(field: string, counts: readonly CountMessage[]): Owner | undefined {
  const [first] = counts;
  if (first === undefined) return undefined;
  const { tenantId, name: userId } = first;
  if (!counts.every((count) => count.tenantId === tenantId))
    throw new PlatformError("INVALID_FIELD", `${field} must be of one tenant.`, { details: { field } });
  const isOneUsers = counts.every(({ scope, name }) => scope === "user" && name === userId);
  return { ...inTenant(tenantId || undefined), ...(isOneUsers ? { userId } : { everyUser: true }) };
}
