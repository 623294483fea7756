import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant, inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { KeyRecord } from "#ports/api-keys/key-store.ts";
import type { Caller } from "../caller.ts";
import type { Scope } from "../scopes.ts";
import { newKey } from "./key-text.ts";

/** What a new key is for and what it allows. */
export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `default` if absent. */
  readonly tenantId?: string | undefined;
  readonly userId?: string | undefined;
  readonly apps?: readonly string[] | undefined;
  readonly expiresInSeconds?: number | undefined;
  readonly createdBy?: string | undefined;
}

/** A key to be stored, and the text of it, which is shown once and stored nowhere. Throws `INVALID_IDENTIFIER`. */
export function createKey(
  { name, scopes, tenantId, userId, apps, expiresInSeconds, createdBy }: KeyRequest,
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): { readonly record: KeyRecord; readonly text: string } {
  assertIdentifier("name", name);
  const tenant = inTenant(tenantId);
  assertTenant(tenant);
  if (userId !== undefined) assertIdentifier("userId", userId);
  for (const app of apps ?? []) assertIdentifier("apps", app);
  const { id, digest, text } = newKey(ids);
  const createdAtMs = clock.now();
  const record = {
    id,
    name,
    digest,
    scopes: [...new Set(scopes)],
    ...tenant,
    userId,
    apps,
    createdAtMs,
    createdBy,
    expiresAtMs: expiresInSeconds === undefined ? undefined : createdAtMs + expiresInSeconds * 1000,
  };
  return { record, text };
}

/**
 * Nobody gives a key more than they have: its scopes, its apps and its user must be the creator's. Throws `SCOPE_MISSING`,
 * `APP_NOT_FOUND` and `USER_NOT_ALLOWED`.
 */
export function assertMayGive(caller: Caller, { scopes, apps, userId }: Omit<KeyRequest, "name">): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope));
  if (missing !== undefined)
    throw new PlatformError("SCOPE_MISSING", `Only callers with the scope ${missing} may give it to a key.`, {
      details: { scope: missing },
    });
  if (!caller.scopes.has("users:all") && userId !== caller.userId)
    throw new PlatformError("USER_NOT_ALLOWED", "Without the scope users:all, a key must be of the caller's own user.");
  const own = caller.apps;
  if (own === undefined) return;
  if (apps === undefined || apps.some((app) => !own.includes(app)))
    throw new PlatformError("APP_NOT_FOUND", `The key must be limited to apps of the caller: ${own.join(", ")}.`);
}
