import type { FastifyRequest } from "fastify";
import type { QuotaSubject } from "#shared/quota/quota-limits.ts";
import { callerOf, callersTenant } from "./authenticator.ts";

/**
 * Whose quotas a request counts against: those of the caller's tenant, key and user, whichever user the request names.
 */
export function callingSubject(request: Pick<FastifyRequest, "raw">): QuotaSubject {
  const { keyId, userId } = callerOf(request);
  return { ...callersTenant(request), keyId, userId };
}
