import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import type { Caller } from "./caller.ts";

/** Reads one kind of credentials. */
export interface Authenticator {
  /**
   * The caller; undefined if the request has no credentials of this kind. Throws `UNAUTHENTICATED` for credentials that
   * are wrong, and `IDENTITY_UNAVAILABLE` if they cannot be checked now.
   */
  authenticate(request: IncomingMessage): Promise<Caller | undefined> | Caller | undefined;
}

const CALLER = Symbol("caller");

/** The caller is a property of the message, because a lookup in a map would cost more for each request. */
type IdentifiedMessage = IncomingMessage & { [CALLER]?: Caller };

/** The caller of a request. Throws if the hook that sets it has not run, so that no route serves an unknown caller. */
export function callerOf({ raw }: Pick<FastifyRequest, "raw">): Caller {
  const caller = (raw as IdentifiedMessage)[CALLER];
  if (caller === undefined) throw new PlatformError("INTERNAL", "The request has no caller.");
  return caller;
}

/** The tenant of a request's caller, as a member of names. */
export function callersTenant(request: Pick<FastifyRequest, "raw">): TenantScoped {
  return inTenant(callerOf(request).tenantId);
}

/** The caller of a request; undefined if it was refused before it was known who sends it. */
export function knownCallerOf({ raw }: Pick<FastifyRequest, "raw">): Caller | undefined {
  return (raw as IdentifiedMessage)[CALLER];
}

/** Done once for each request, before its body is read. */
export function setCaller({ raw }: Pick<FastifyRequest, "raw">, caller: Caller): void {
  (raw as IdentifiedMessage)[CALLER] = caller;
}
