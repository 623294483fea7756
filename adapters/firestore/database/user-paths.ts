import type { AppScope } from "#kit/names/app-scope.ts";
import { escapeSegment } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";

export const DEFAULT_ROOT_COLLECTION = "fairlead";

/**
 * The collection of a tenant's data, in which the layout is the same for all tenants. No escaped identifier begins with
 * `_`, so no app has the name of this document.
 */
export function tenantRoot(root: string, tenantId: string = DEFAULT_TENANT): string {
  return tenantId === DEFAULT_TENANT ? root : `${root}/_/tenants/${tenantId}/data`;
}

/**
 * The parent document of all data of an app. An identifier is one escaped segment, so no id can collide with one of our
 * names.
 */
export function appPath(root: string, { tenantId, appName }: AppScope): string {
  return `${tenantRoot(root, tenantId)}/${escapeSegment(appName)}`;
}

/** The parent document of all data of a user of an app. */
export function userPath(root: string, user: AppScope & { readonly userId: string }): string {
  return `${appPath(root, user)}/users/${escapeSegment(user.userId)}`;
}
