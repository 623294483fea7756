import { assertReach } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";
import { callingPrincipal, inCallersTenant } from "./guarded-port.ts";

type UserCredentials = GatewayDeps["userCredentials"];

/** The credentials for requests: those of apps that the caller may not use are like ones that do not exist. */
export function guardCredentials(port: UserCredentials): UserCredentials {
  return {
    listCredentials: async (given) => {
      const { mayUse, ...principal } = callingPrincipal();
      const { appName = principal.appName } = given;
      const user = { ...inCallersTenant(given), ...(appName !== undefined && { appName }) };
      // Without an app, each credential of the answer is checked.
      assertReach(appName === undefined ? principal : callingPrincipal(), user);
      const found = await port.listCredentials(user);
      return mayUse === undefined ? found : found.filter((each) => mayUse(each.appName));
    },
    deleteCredential: async (given, credentialKey) => {
      const owner = inCallersTenant(given);
      assertReach(callingPrincipal(), owner);
      await port.deleteCredential(owner, credentialKey);
    },
  };
}
