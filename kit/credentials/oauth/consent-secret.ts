import { createHmac } from "node:crypto";
import { randomText } from "#kit/platform/random-text.ts";
import type { CredentialScope } from "../credential-scope.ts";

/** The name under which the secret of the user's sign-ins is kept. */
const CONSENT_KEY = "adk_consent";
const SECRET_BYTES = 32;

type Store = Pick<CredentialScope, "owner" | "service">;

/**
 * The secrets of one sign-in, which are never shown. Both are derived from the user's secret, so that sign-ins in
 * progress need no entries in the store.
 */
export interface SignInSecrets {
  readonly codeVerifier: string;
  readonly nonce: string;
}

/** A value that no one can guess, which ties an answer to its request. */
export function newState(): string {
  return randomText(SECRET_BYTES);
}

/** The secrets of a sign-in that begins: the user's secret is created if there is none. */
export async function beginSignIn({ owner, service }: Store, state: string): Promise<SignInSecrets> {
  const known = await loadSecret({ owner, service });
  if (known !== undefined) return derived(known, state);
  const made = randomText(SECRET_BYTES);
  const credential = { authType: "oauth2", oauth2: { codeVerifier: made } } as const;
  const version = await service.saveCredential(owner, CONSENT_KEY, credential, 0);
  // Another run may have made one at the same time.
  const secret = version === undefined ? await loadSecret({ owner, service }) : made;
  return derived(secret ?? made, state);
}

/** The secrets with which the sign-in began; undefined if the store has lost them. */
export async function endSignIn(store: Store, state: string): Promise<SignInSecrets | undefined> {
  const secret = await loadSecret(store);
  return secret === undefined ? undefined : derived(secret, state);
}

async function loadSecret({ owner, service }: Store): Promise<string | undefined> {
  const credential = (await service.loadCredential(owner, CONSENT_KEY))?.credential;
  return credential?.authType === "oauth2" ? credential.oauth2?.codeVerifier : undefined;
}

function derived(secret: string, state: string): SignInSecrets {
  const derive = (use: string): string => createHmac("sha256", secret).update(`${use} ${state}`).digest("base64url");
  return { codeVerifier: derive("verifier"), nonce: derive("nonce") };
}
