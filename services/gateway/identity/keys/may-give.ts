import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Caller } from "../caller.ts";
import type { KeyRequest } from "./create-key.ts";

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
