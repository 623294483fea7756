import { PlatformError } from "#kit/errors/platform-error.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import type { IdentityConfig } from "./identity-settings.ts";

/** Throws `CONFIGURATION` for an address at which other machines could call a server that authenticates nobody. */
export function assertMayListen(
  { AUTH, ALLOW_UNAUTHENTICATED }: Pick<IdentityConfig, "AUTH" | "ALLOW_UNAUTHENTICATED">,
  host: string,
): void {
  if (!AUTH.includes("none") || ALLOW_UNAUTHENTICATED || isLoopback(host)) return;
  throw new PlatformError(
    "CONFIGURATION",
    `HOST is ${host}, where other machines could read and change everything: AUTH is none. Set AUTH to api-key, oidc or proxy; HOST=127.0.0.1; or ALLOW_UNAUTHENTICATED=true where something in front authenticates callers.`,
  );
}
