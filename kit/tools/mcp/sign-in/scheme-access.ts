import { applyCredential } from "#kit/credentials/apply-credential.ts";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { ownerOf, type ServerAccess, type ServerTable, scopeOf } from "./server-access.ts";

/** Credentials of a scheme as headers: the author's own, or those of each user, who is asked for them. */
export function schemeAccess(serverOf: ServerTable, config: AuthConfig): ServerAccess {
  const manager = new CredentialManager(config);
  return {
    serverFor: async (context) => {
      const credential = await manager.getAuthCredential({ credentialScope: scopeOf(context) });
      if (credential === undefined) return undefined;
      const { headers } = applyCredential(config.authScheme, credential);
      return serverOf(context, { headers, owner: ownerOf(context) });
    },
    replaceRefused: async (context) => {
      const credential = await manager.replaceRefused({ credentialScope: scopeOf(context) });
      return credential !== undefined;
    },
    listRefused: () => undefined,
    canAsk: (context) => manager.canAsk(context),
    ask: (context) => manager.requestCredential(context),
  };
}
