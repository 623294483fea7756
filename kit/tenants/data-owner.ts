import { assertIdentifier } from "../names/identifiers.ts";
import { assertTenant, type TenantScoped, tenantOf } from "../names/tenant.ts";

/** Whose stored data: all of a tenant, or only that of one of its users. */
export interface DataOwner {
  readonly tenantId: string;
  /** Absent for all of the tenant, what belongs to no user included. */
  readonly userId?: string;
}

/** Throws `INVALID_IDENTIFIER`. */
export function assertDataOwner({ tenantId, userId }: DataOwner): void {
  assertTenant({ tenantId });
  if (userId !== undefined) assertIdentifier("userId", userId);
}

/** Whether data under the name is the owner's. Data of an app has no user, and is of a whole tenant alone. */
export function isOwned(owner: DataOwner, name: TenantScoped & { readonly userId?: string | undefined }): boolean {
  return owner.tenantId === tenantOf(name) && (owner.userId === undefined || owner.userId === name.userId);
}

/** The owner without other members. */
export function dataOwner({ tenantId, userId }: DataOwner): DataOwner {
  return { tenantId, ...(userId !== undefined && { userId }) };
}

export function isSameOwner(one: DataOwner, other: DataOwner): boolean {
  return one.tenantId === other.tenantId && one.userId === other.userId;
}
