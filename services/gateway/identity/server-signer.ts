import { createHash, createPrivateKey, createPublicKey, type JsonWebKeyInput, type KeyObject, sign } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { pemBlocks } from "#shared/security/key-files.ts";
import { WatchedFile } from "#shared/security/watched-file.ts";
import type { GatewayConfig } from "../config.ts";

const SETTING = "A2A_SIGNING_KEYS_FILE";
const MAX_KEYS = 16;
const MIN_RSA_BITS = 2048;
const MAKE_ONE = "Make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256";
const PRIVATE_LABELS = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"];

/** The path of the public keys, below the address of the routes. */
export const PUBLIC_KEYS_PATH = "/.well-known/jwks.json";

interface SigningKey {
  readonly kid: string;
  readonly alg: "ES256" | "EdDSA" | "RS256";
  readonly key: KeyObject;
  /** A JSON Web Key without its secret members. */
  readonly publicKey: JsonObject;
}

/** The parts of a JSON Web Signature (RFC 7515), each in base64url. Joined by dots they are its compact form. */
export interface ServerSignature {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

/**
 * Signs what other servers check by the public keys at `/.well-known/jwks.json`: agent cards, for example. The first key of
 * A2A_SIGNING_KEYS_FILE signs; the others are only published, so that keys can be replaced without a gap.
 *
 * @example
 * const { protected: header, payload, signature } = signer.sign(JSON.stringify(claims), { typ: "JWT" });
 * const token = `${header}.${payload}.${signature}`;
 */
export class ServerSigner {
  readonly #keys: () => readonly SigningKey[];

  /** The function returns the current keys: they are asked for with each call. */
  constructor(keys: () => readonly SigningKey[]) {
    this.#keys = keys;
  }

  /** The id of the key that signs. */
  get keyId(): string {
    return this.#first().kid;
  }

  /** `header` has the members of the protected header besides `alg` and `kid`. */
  sign(text: string, header: JsonObject): ServerSignature {
    const { alg, kid, key } = this.#first();
    const head = base64url(JSON.stringify({ alg, kid, ...header }));
    const payload = base64url(text);
    return { protected: head, payload, signature: signatureOf(key, alg, `${head}.${payload}`).toString("base64url") };
  }

  /** The public keys as a JSON Web Key Set (RFC 7517). */
  publicKeys(): { readonly keys: readonly JsonObject[] } {
    return { keys: this.#keys().map(({ publicKey }) => publicKey) };
  }

  #first(): SigningKey {
    const [first] = this.#keys();
    // The file was checked when it was read.
    if (first === undefined) throw refusal("has no private key");
    return first;
  }
}

export interface SignerOptions {
  readonly config: Pick<GatewayConfig, "A2A_SIGNING_KEYS_FILE">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Undefined without A2A_SIGNING_KEYS_FILE. A changed file is read within a second. Throws `CONFIGURATION`. */
export function openServerSigner({ config, clock, logger }: SignerOptions): ServerSigner | undefined {
  const path = config.A2A_SIGNING_KEYS_FILE;
  if (path === "") return undefined;
  const file = new WatchedFile({ path, setting: SETTING, parse: parseSigningKeys, clock, logger });
  return new ServerSigner(() => file.content);
}

/** The keys of PEM text, of a JSON Web Key with a private key, or of a set of them, in order. Throws `CONFIGURATION`. */
export function parseSigningKeys(text: string): readonly SigningKey[] {
  const given = text.trimStart().startsWith("{") ? keysOfJson(text) : keysOfPem(text);
  if (given.length === 0) throw refusal("has no private key");
  if (given.length > MAX_KEYS) throw refusal(`has more than ${MAX_KEYS} keys`);
  const keys = given.map(toSigningKey);
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw refusal("has two keys with the same id");
  return keys;
}

interface GivenKey {
  readonly key: KeyObject;
  readonly kid?: unknown;
  readonly alg?: unknown;
}

function keysOfPem(text: string): readonly GivenKey[] {
  return pemBlocks(text)
    .filter(([, label]) => label !== "EC PARAMETERS")
    .map(([block, label]) => {
      if (!PRIVATE_LABELS.includes(label)) throw refusal(`has a ${label}, and may have unencrypted private keys only`);
      return { key: read(() => createPrivateKey(block)) };
    });
}

function keysOfJson(text: string): readonly GivenKey[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refusal("is not valid JSON", cause);
  }
  const keys = isJsonObject(value) && "keys" in value ? value["keys"] : [value];
  if (!Array.isArray(keys)) throw refusal("should have a list of `keys`");
  return keys.map((jwk: unknown) => {
    if (!isJsonObject(jwk)) throw refusal("has a key that is not an object");
    const key = read(() => createPrivateKey({ key: jwk as JsonWebKeyInput["key"], format: "jwk" }));
    return { key, kid: jwk["kid"], alg: jwk["alg"] };
  });
}

function toSigningKey({ key, kid, alg: given }: GivenKey): SigningKey {
  const alg = algorithmOf(key);
  if (given !== undefined && given !== alg)
    throw refusal(`has a key for ${JSON.stringify(given)}, which signs as ${alg}`);
  const { kty, crv, x, y, n, e } = createPublicKey(key).export({ format: "jwk" });
  // The members in the order that RFC 7638 prescribes.
  const members = JSON.stringify(kty === "RSA" ? { e, kty, n } : { crv, kty, x, y });
  const name = kid ?? createHash("sha256").update(members).digest("base64url");
  if (typeof name !== "string" || name === "" || name.length > 200)
    throw refusal("has a key whose `kid` is not a text of 1 to 200 characters");
  // Members of a JSON text are JSON.
  return { kid: name, alg, key, publicKey: { ...(JSON.parse(members) as JsonObject), kid: name, alg, use: "sig" } };
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): SigningKey["alg"] {
  if (type === "ed25519") return "EdDSA";
  if (type === "ec" && details?.namedCurve === "prime256v1") return "ES256";
  if (type === "rsa" && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return "RS256";
  throw refusal(
    `has a key of type ${type}, and may have P-256, Ed25519 and RSA keys of ${MIN_RSA_BITS} bits or more only`,
  );
}

function signatureOf(key: KeyObject, alg: SigningKey["alg"], text: string): Buffer {
  return sign(alg === "EdDSA" ? null : "sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
}

function read(parse: () => KeyObject): KeyObject {
  try {
    return parse();
  } catch (cause) {
    throw refusal("has a private key that cannot be read", cause);
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function refusal(what: string, cause?: unknown): PlatformError {
  return new PlatformError("CONFIGURATION", `${SETTING}: the file ${what}. ${MAKE_ONE}`, { cause });
}
