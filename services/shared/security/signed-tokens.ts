import { createHmac, type KeyObject, sign, timingSafeEqual, verify } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { NamedKey } from "./key-files.ts";

/** What a token is for; each kind has its own header, so that one is never accepted as another. */
export type TokenKind = "principal" | "grant" | "session-grant" | "permit" | "evaluation";

/** The members that each token has, besides those of its kind. Times are in seconds since the epoch. */
export interface TokenTimes {
  readonly iat: number;
  readonly exp: number;
}

/** The longest life of a token, in seconds: it cannot be revoked before, unless its key is removed. */
export const MAX_LIFE_S = 300;
/** The longest life of a permit of an evaluation, in seconds. It gets grants, and reaches nothing itself. */
export const MAX_PERMIT_LIFE_S: number = 24 * 60 * 60;
/** How far the clocks of two machines may differ, in seconds. */
const MAX_SKEW_S = 60;
/** Longer texts are refused before they are checked. */
const MAX_LENGTH = 8192;
const SIGNATURE_BYTES = 64;
const PART = /^[\w-]+$/;

/** A compact JSON Web Signature (RFC 7515): with Ed25519 (RFC 8037), or with HMAC-SHA-256 of a secret key. */
export function signToken(kind: TokenKind, claims: TokenTimes, key: NamedKey): string {
  const signed = `${headerOf(kind, key)}.${encode(claims)}`;
  return `${signed}.${signatureOf(signed, key.key).toString("base64url")}`;
}

/** Whether the text claims to be of the kind. Says nothing about its signature. */
export function claimsKind(text: string, kind: TokenKind): boolean {
  return Buffer.from(text.split(".", 1)[0] ?? "", "base64url")
    .toString()
    .endsWith(`"typ":"${typeOf(kind)}"}`);
}

/** The keys of a kind of tokens by the header of the tokens that they sign. */
export function keysByHeader(kind: TokenKind, keys: readonly NamedKey[]): ReadonlyMap<string, NamedKey> {
  return new Map(keys.map((key) => [headerOf(kind, key), key]));
}

/**
 * Returns the claims of a token that one of the keys has signed. Its header must be the one that `signToken` writes for
 * that key, letter for letter: nothing in a token chooses how it is checked. Throws `PRINCIPAL_INVALID` and
 * `PRINCIPAL_EXPIRED`.
 */
export function verifyToken(
  text: string,
  keys: ReadonlyMap<string, NamedKey>,
  { clock, maxLifeS = MAX_LIFE_S }: { readonly clock: Clock; readonly maxLifeS?: number },
): TokenTimes {
  const [header = "", body = "", given = "", more] = text.length > MAX_LENGTH ? [] : text.split(".", 4);
  const key = keys.get(header);
  const signature = Buffer.from(given, "base64url");
  if (key === undefined || more !== undefined || !PART.test(body)) throw invalidToken();
  // One text for each token: base64url has other spellings of the same bytes.
  if (signature.toString("base64url") !== given) throw invalidToken();
  if (!isSignature(signature, `${header}.${body}`, key.key)) throw invalidToken();
  // Not validated: only holders of an accepted key can have written it.
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as TokenTimes;
  assertCurrent(claims, clock.now() / 1000, maxLifeS);
  return claims;
}

function assertCurrent({ iat, exp }: TokenTimes, now: number, maxLifeS: number): void {
  if (!Number.isFinite(iat) || !Number.isFinite(exp) || exp - iat > maxLifeS + MAX_SKEW_S || iat > now + MAX_SKEW_S)
    throw invalidToken();
  if (exp <= now) throw expiredToken();
}

function signatureOf(signed: string, key: KeyObject): Buffer {
  if (key.type === "secret") return createHmac("sha256", key).update(signed).digest();
  return sign(null, Buffer.from(signed), key);
}

/** The kind of key decides how the signature is checked. */
function isSignature(signature: Buffer, signed: string, key: KeyObject): boolean {
  if (key.type !== "secret")
    return signature.length === SIGNATURE_BYTES && verify(null, Buffer.from(signed), key, signature);
  const expected = signatureOf(signed, key);
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

/** Headers by key and kind: each is the same in all tokens. */
const HEADERS = new WeakMap<NamedKey, Map<TokenKind, string>>();

function headerOf(kind: TokenKind, named: NamedKey): string {
  let headers = HEADERS.get(named);
  if (headers === undefined) HEADERS.set(named, (headers = new Map()));
  let header = headers.get(kind);
  if (header === undefined) {
    const { key, thumbprint } = named;
    header = encode({ alg: key.type === "secret" ? "HS256" : "EdDSA", kid: thumbprint, typ: typeOf(kind) });
    headers.set(kind, header);
  }
  return header;
}

function typeOf(kind: TokenKind): string {
  return `fairlead-${kind}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

export function invalidToken(): PlatformError {
  return new PlatformError(
    "PRINCIPAL_INVALID",
    "The call has no principal or grant that is signed with a key accepted here and made for this service: PRINCIPAL_PUBLIC_KEYS_FILE needs the public keys of the gateways, GRANT_PUBLIC_KEYS_FILE those of the session service.",
  );
}

export function expiredToken(): PlatformError {
  return new PlatformError("PRINCIPAL_EXPIRED", "The call's principal or grant has expired.");
}
