import type { CredentialAnswer, CredentialScope, KnownCredentials } from "#kit/credentials/credential-scope.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { InvocationContext } from "./invocation-context.ts";

const RUN_DATA_KEY = "fairlead:credentials";

/** The means by which calls of the invocation get their user's credentials. Throws `SERVICE_MISSING`. */
export function credentialScopeOf(
  context: InvocationContext,
  { signal, answer }: { readonly signal: AbortSignal; readonly answer: CredentialAnswer | undefined },
): CredentialScope {
  const { credentialService: service, outbound = NO_OUTBOUND, session, services, callbackContextData } = context;
  if (service === undefined)
    throw new PlatformError("SERVICE_MISSING", "This runner has no credential service: pass credentialService to it.");
  // Only this function writes the entry.
  const known = (callbackContextData.get(RUN_DATA_KEY) as KnownCredentials | undefined) ?? {
    stored: new Map(),
    answers: new Map(),
  };
  callbackContextData.set(RUN_DATA_KEY, known);
  const { tenantId, appName, userId } = session;
  const { clock, logger } = services;
  return { owner: { ...inTenant(tenantId), appName, userId }, service, outbound, clock, logger, signal, known, answer };
}

const NO_OUTBOUND: CredentialScope["outbound"] = {
  fetch: async () => {
    throw new PlatformError("CONFIGURATION", "The runner has no `outbound`: it makes no requests to other servers.");
  },
};
