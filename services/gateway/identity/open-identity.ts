import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { KeyStore } from "#ports/api-keys/key-store.ts";
import { InvalidConfigError } from "#shared/config/load-config.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Identity } from "./identity.ts";
import type { IdentityConfig } from "./identity-settings.ts";
import { ProxyAuthenticator } from "./proxy-authenticator.ts";
import { checkSignOutUrl } from "./sign-out-url.ts";

export interface IdentityContext {
  readonly config: IdentityConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Closes what is opened. */
  readonly stack: AsyncDisposableStack;
  /** Called if callers may have API keys. */
  readonly openKeyStore: () => Promise<KeyStore>;
}

/** How the settings identify callers; undefined for AUTH=none. Throws `CONFIGURATION` with all problems. */
export async function openIdentity(context: IdentityContext): Promise<Identity | undefined> {
  const { config } = context;
  const problems: string[] = [];
  const kinds = new Set(config.AUTH);
  if (kinds.size === 0) problems.push("AUTH is empty: use none, or one of api-key, oidc and proxy.");
  if (kinds.has("none") && kinds.size > 1)
    problems.push(`AUTH is ${config.AUTH.join(",")}: none accepts everybody, so it must be alone.`);
  // Each way is loaded only where it is used.
  const oidcModules = kinds.has("oidc") ? await importOidc() : undefined;
  const issuers = (await oidcModules?.readIssuers(config, problems)) ?? [];
  const proxy = kinds.has("proxy") ? new ProxyAuthenticator(config, problems) : undefined;
  checkSignOutUrl(config, problems);
  if (problems.length > 0) throw new InvalidConfigError(problems);
  if (kinds.has("none")) return undefined;

  const keys = kinds.has("api-key") ? await openKeys(context) : undefined;
  const oidc = await oidcModules?.openOidc(issuers, context);
  const byKind = { "api-key": keys?.authenticator, oidc, proxy, none: undefined };
  return {
    authenticators: [...kinds].flatMap((kind) => byKind[kind] ?? []),
    apiKeys: keys?.managed,
    signInProviders: oidcModules?.toSignInProviders(issuers) ?? [],
  };
}

async function importOidc() {
  const [{ openOidc }, { readIssuers }, { toSignInProviders }] = await Promise.all([
    import("./oidc/open-oidc.ts"),
    import("./oidc/read-issuers.ts"),
    import("./oidc/open-oidc.ts"),
  ]);
  return { openOidc, readIssuers, toSignInProviders };
}

async function openKeys({ clock, logger, stack, openKeyStore }: IdentityContext): Promise<{
  readonly authenticator: Authenticator;
  readonly managed: NonNullable<Identity["apiKeys"]>;
}> {
  const [{ ApiKeyAuthenticator }, { KeyUses }, { KnownKeys }] = await Promise.all([
    import("./keys/api-key-authenticator.ts"),
    import("./keys/key-uses.ts"),
    import("./keys/known-keys.ts"),
  ]);
  const store = await openKeyStore();
  const keys = new KnownKeys({ store, clock, logger });
  const uses = stack.use(new KeyUses({ store, logger }));
  const authenticator = new ApiKeyAuthenticator({ keys, uses, clock });
  return {
    authenticator,
    managed: {
      store,
      forget: (keyId) => keys.forget(keyId),
      callerOf: (key, address) => authenticator.callerOf(key, address),
      callerOfId: (keyId) => authenticator.callerOfId(keyId),
    },
  };
}
