import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";

/** Names the owner of stored data: a tenant, or one of its users. */
export interface DataOwner {
  readonly tenantId: string;
  /** Absent: all data of the tenant, including data that belongs to no user. */
  readonly userId?: string;
}

/** Throws `INVALID_IDENTIFIER`. */
export function assertDataOwner({ tenantId, userId }: DataOwner): void {
  assertTenant({ tenantId });
  if (userId !== undefined) assertIdentifier("userId", userId);
}

/** Whether data under the name belongs to the owner. Data of an app has no user, so it belongs only to the tenant. */
export function isOwned(owner: DataOwner, name: TenantScoped & { readonly userId?: string | undefined }): boolean {
  return owner.tenantId === tenantOf(name) && (owner.userId === undefined || owner.userId === name.userId);
}

/** The owner without other members. */
export function dataOwner({ tenantId, userId }: DataOwner): DataOwner {
  return { tenantId, userId };
}

export function isSameOwner(one: DataOwner, other: DataOwner): boolean {
  return one.tenantId === other.tenantId && one.userId === other.userId;
}
