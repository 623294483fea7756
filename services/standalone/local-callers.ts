import type { onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { IdentityConfig } from "#services/gateway/identity/identity-settings.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";

/**
 * The hook of a mounted server: where nothing authenticates callers, it refuses requests of other machines, because the
 * program chooses the address at which it listens. Undefined where all requests are accepted.
 */
export function localCallersOnly({
  AUTH,
  ALLOW_UNAUTHENTICATED,
}: Pick<IdentityConfig, "AUTH" | "ALLOW_UNAUTHENTICATED">): onRequestHookHandler | undefined {
  if (!AUTH.includes("none") || ALLOW_UNAUTHENTICATED) return undefined;
  return ({ raw }, _reply, done) => {
    const { remoteAddress } = raw.socket;
    // A Unix socket has no address, and is of this machine.
    if (remoteAddress === undefined || isLoopback(remoteAddress.replace(/^::ffff:/, ""))) done();
    else
      done(
        new PlatformError(
          "CALLER_NOT_LOCAL",
          "Forbidden: without authentication this server accepts requests of its own machine only. Set AUTH, or ALLOW_UNAUTHENTICATED=true where the program authenticates callers.",
        ),
      );
  };
}
