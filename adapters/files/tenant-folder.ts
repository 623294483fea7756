import { join } from "node:path";
import { DEFAULT_TENANT, inTenant, isTenantId, type TenantScoped } from "#kit/names/tenant.ts";
import { listNames } from "./durable-files.ts";

/** No app's folder has this name, because no escaped identifier begins with a dot. */
const TENANTS_FOLDER = ".tenants";

/** The folder of a tenant's apps: that of the store for `default`, and `.tenants/{tenant}` in it for the others. */
export function tenantFolder(root: string, tenant: TenantScoped): string {
  // The characters of a tenant's id need no escape.
  const { tenantId } = inTenant(tenant.tenantId);
  return tenantId === undefined ? root : join(root, TENANTS_FOLDER, tenantId);
}

/** The tenants that have a folder, with `default`. */
export async function tenantsIn(root: string): Promise<readonly string[]> {
  const names = await listNames(join(root, TENANTS_FOLDER));
  return [DEFAULT_TENANT, ...names.filter((name) => isTenantId(name) && name !== DEFAULT_TENANT)];
}

/** The names of the folders of a tenant's apps. */
export async function appFolders(root: string, tenant: TenantScoped): Promise<readonly string[]> {
  const names = await listNames(tenantFolder(root, tenant));
  // Folders of the store itself begin with a dot.
  return names.filter((name) => !name.startsWith(".")).sort();
}
