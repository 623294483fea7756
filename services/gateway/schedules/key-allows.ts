import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Schedule } from "#ports/schedules/schedule.ts";
import type { ManagedKeys } from "../identity/identity.ts";

/**
 * Throws unless the schedule's API key is still valid, and may start runs for its user. A revoked
 * key starts nothing.
 */
export async function assertKeyAllows(
  apiKeys: Pick<ManagedKeys, "callerOfId"> | undefined,
  { owner: { keyId }, userId, appName }: Pick<Schedule, "owner" | "userId" | "appName">,
): Promise<void> {
  if (keyId === undefined) return;
  const caller = await apiKeys?.callerOfId(keyId);
  if (caller === undefined) throw new PlatformError("UNAUTHENTICATED", "The schedule's API key is gone.");
  const { scopes, apps } = caller;
  if (!scopes.has("runs:write"))
    throw new PlatformError("SCOPE_MISSING", "The schedule's API key lacks the scope runs:write.", {
      details: { scope: "runs:write" },
    });
  const isForUser = caller.userId === userId || scopes.has("users:all");
  if (!isForUser || (apps !== undefined && !apps.includes(appName)))
    throw new PlatformError("USER_NOT_ALLOWED", "The schedule's API key reaches its user or app no longer.");
}
