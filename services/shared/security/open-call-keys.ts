import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { GrantIssuer } from "./grant-issuer.ts";
import { type NamedKey, parsePrivateKeys, parsePublicKeys, publicHalf, sessionGrantKey } from "./key-files.ts";
import { PrincipalSigner } from "./principal-signer.ts";
import { PrincipalVerifier } from "./principal-verifier.ts";
import type { KeyFiles, KeySetting } from "./security-settings.ts";
import type { TokenKind } from "./signed-tokens.ts";
import { WatchedFile } from "./watched-file.ts";

/** What a process signs and checks with the keys that its settings name. */
export interface CallKeys {
  /** In gateways. */
  readonly signer: PrincipalSigner | undefined;
  /** In all other services. */
  readonly principals: PrincipalVerifier | undefined;
  /** In services that runners call for their runs. */
  readonly grants: PrincipalVerifier | undefined;
  /** Of grants for the session service alone, in it. */
  readonly sessionGrants: PrincipalVerifier | undefined;
  /** Grants of evaluations, in services that are called for evaluations. */
  readonly evaluations: PrincipalVerifier | undefined;
  /** Permits of evaluations, in the session service. */
  readonly permits: PrincipalVerifier | undefined;
  /** What signs grants, in the session service; the first signs. */
  readonly grantKeys: (() => readonly NamedKey[]) | undefined;
  /** In the session service. */
  readonly grantIssuer: GrantIssuer | undefined;
}

interface Sources {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
}

/** Throws `CONFIGURATION`. */
export function openCallKeys(config: KeyFiles, sources: Sources): CallKeys {
  const {
    PRINCIPAL_PRIVATE_KEY_FILE: signing = "",
    PRINCIPAL_PUBLIC_KEYS_FILE: accepted = "",
    GRANT_PUBLIC_KEYS_FILE: granting = "",
  } = config;
  return {
    signer: signing === "" ? undefined : new PrincipalSigner({ keyFile: signing, ...sources }),
    principals: accepted === "" ? undefined : verifierOf("principal", "PRINCIPAL_PUBLIC_KEYS_FILE", accepted, sources),
    ...(granting === ""
      ? openIssuer(config, sources)
      : {
          grants: verifierOf("grant", "GRANT_PUBLIC_KEYS_FILE", granting, sources),
          evaluations: verifierOf("evaluation", "GRANT_PUBLIC_KEYS_FILE", granting, sources),
          ...{ sessionGrants: undefined, permits: undefined, grantIssuer: undefined, grantKeys: undefined },
        }),
  };
}

function verifierOf(kind: TokenKind, setting: KeySetting, path: string, sources: Sources) {
  const parse = (text: string): readonly NamedKey[] => parsePublicKeys(text, setting);
  const file = new WatchedFile({ ...sources, path, setting, parse });
  return new PrincipalVerifier({ kind, keys: () => file.content, clock: sources.clock });
}

const NONE: Omit<CallKeys, "signer" | "principals"> = {
  grants: undefined,
  sessionGrants: undefined,
  evaluations: undefined,
  permits: undefined,
  grantIssuer: undefined,
  grantKeys: undefined,
};

function openIssuer(
  { GRANT_PRIVATE_KEY_FILE: path = "" }: KeyFiles,
  sources: Sources,
): Omit<CallKeys, "signer" | "principals"> {
  if (path === "") return NONE;
  const setting = "GRANT_PRIVATE_KEY_FILE";
  const parse = (text: string) => {
    const keys = parsePrivateKeys(text, setting);
    return { keys, accepted: keys.map(publicHalf), secret: keys.map(sessionGrantKey) };
  };
  const file = new WatchedFile({ ...sources, path, setting, parse });
  const { clock, ids } = sources;
  const verifier = new PrincipalVerifier({ kind: "grant", keys: () => file.content.accepted, clock });
  const sessionKeys = (): readonly NamedKey[] => file.content.secret;
  const sessionVerifier = new PrincipalVerifier({ kind: "session-grant", keys: sessionKeys, clock });
  const keys = (): readonly NamedKey[] => file.content.keys;
  const accepted = (): readonly NamedKey[] => file.content.accepted;
  return {
    grants: verifier,
    sessionGrants: sessionVerifier,
    evaluations: new PrincipalVerifier({ kind: "evaluation", keys: accepted, clock }),
    permits: new PrincipalVerifier({ kind: "permit", keys: accepted, clock }),
    grantIssuer: new GrantIssuer({ keys, sessionKeys, verifier, sessionVerifier, clock, ids }),
    grantKeys: keys,
  };
}
