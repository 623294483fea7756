import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** An Ed25519 key, or a secret key that is derived from one, and the thumbprint that names it. */
export interface NamedKey {
  readonly key: KeyObject;
  /** RFC 7638: the SHA-256 of the public key as a JSON Web Key. */
  readonly thumbprint: string;
}

const SECRET_BYTES = 32;
const BOUNDARY = /-----(BEGIN|END) ([A-Z0-9 ]{1,64})-----/g;
const MAKE_ONE = "Make one with: openssl genpkey -algorithm ed25519";

/** The private keys of PEM text, in its order. Throws `CONFIGURATION`. */
export function parsePrivateKeys(text: string, setting: string): readonly NamedKey[] {
  const keys = pemBlocks(text).map(([block, label]) => {
    if (label !== "PRIVATE KEY") throw refusal(setting, `has a ${label}, and may have unencrypted private keys only`);
    return named(
      read(() => createPrivateKey(block), setting),
      setting,
    );
  });
  if (keys.length === 0) throw refusal(setting, "has no private key (PEM, PKCS #8)");
  return keys;
}

/**
 * The public keys of PEM text, which may also have certificates: then their keys count, and not their names and dates.
 * Throws `CONFIGURATION`, also for a private key, which a service that only checks must not have.
 */
export function parsePublicKeys(text: string, setting: string): readonly NamedKey[] {
  const keys = pemBlocks(text).map(([block, label]) => {
    if (label === "CERTIFICATE")
      return named(
        read(() => new X509Certificate(block).publicKey, setting),
        setting,
      );
    if (label !== "PUBLIC KEY")
      throw refusal(setting, `has a ${label}, and may have public keys and certificates only`);
    return named(
      read(() => createPublicKey(block), setting),
      setting,
    );
  });
  if (keys.length === 0) throw refusal(setting, "has no public key or certificate (PEM)");
  return keys;
}

/** The public half of a private key. */
export function publicHalf({ key, thumbprint }: NamedKey): NamedKey {
  return { key: createPublicKey(key), thumbprint };
}

/**
 * The secret key of session grants, derived from a private key (HKDF, RFC 5869): processes with that private key have
 * it, and no other. Removing the private key removes it.
 */
export function sessionGrantKey({ key, thumbprint }: NamedKey): NamedKey {
  const { d } = key.export({ format: "jwk" });
  // The key that is derived from nothing is known to everybody.
  if (d === undefined) throw new TypeError("Only a private key has a secret to derive from.");
  const secret = hkdfSync("sha256", Buffer.from(d, "base64url"), "", "fairlead session grants", SECRET_BYTES);
  return { key: createSecretKey(Buffer.from(secret)), thumbprint };
}

/** The blocks of PEM text with their labels (RFC 7468); the text around them is ignored. */
export function pemBlocks(text: string): readonly (readonly [string, string])[] {
  const blocks: [string, string][] = [];
  let begun: { readonly label: string; readonly at: number } | undefined;
  for (const { 0: line, 1: kind, 2: label = "", index: at } of text.matchAll(BOUNDARY)) {
    if (kind === "BEGIN") begun = { label, at };
    else if (begun?.label === label) {
      blocks.push([text.slice(begun.at, at + line.length), label]);
      begun = undefined;
    }
  }
  return blocks;
}

function read(parse: () => KeyObject, setting: string): KeyObject {
  try {
    return parse();
  } catch (cause) {
    throw refusal(setting, "has a key that cannot be read", cause);
  }
}

function named(key: KeyObject, setting: string): NamedKey {
  if (key.asymmetricKeyType !== "ed25519")
    throw refusal(setting, `has a key of type ${key.asymmetricKeyType}, and may have Ed25519 keys only`);
  const { crv, kty, x } = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  // The members in the order that RFC 7638 prescribes.
  return { key, thumbprint: createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url") };
}

function refusal(setting: string, what: string, cause?: unknown): PlatformError {
  return new PlatformError("CONFIGURATION", `${setting}: the file ${what}. ${MAKE_ONE}`, { cause });
}
