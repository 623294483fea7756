import { currentCallScope, type RunCredentials, type SignedGrant } from "../security/call-scope.ts";
import { claimsKind } from "../security/signed-tokens.ts";

/**
 * Gets the grant that other services than the session service accept, before a run's first call of one and after each
 * replacement of the run's grant: most runs need none. Concurrent calls share it; after a failure the next call tries again.
 */
export function signGrantOnce(sign: () => Promise<string>): () => Promise<void> | undefined {
  return () => {
    const credentials = currentCallScope()?.credentials;
    const grant = credentials?.grant;
    if (credentials === undefined || grant === undefined || !claimsKind(grant, "session-grant")) return undefined;
    const signed = credentials.signed?.of === grant ? credentials.signed : begin(credentials, grant, sign);
    return signed.text === undefined ? signed.arrival : undefined;
  };
}

function begin(credentials: RunCredentials, of: string, sign: () => Promise<string>): SignedGrant {
  const arrival = sign().then(
    (text) => {
      signed.text = text;
    },
    (error: unknown) => {
      if (credentials.signed === signed) delete credentials.signed;
      throw error;
    },
  );
  const signed: SignedGrant = { of, arrival };
  credentials.signed = signed;
  return signed;
}
