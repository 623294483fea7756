import type { KeyRecord } from "#kit/identity/key-store.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant, inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
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
