import { assertIdentifier } from "./identifiers.ts";
import { assertTenant, type TenantScoped } from "./tenant.ts";

/** Names an app of a tenant. */
export interface AppScope extends TenantScoped {
  readonly appName: string;
}

/** Throws `INVALID_IDENTIFIER`. */
export function assertAppScope(app: AppScope): void {
  assertTenant(app);
  assertIdentifier("appName", app.appName);
}
