import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { parsePrivateKeys, publicHalf, sessionGrantKey } from "./key-files.ts";
import { keysByHeader, signToken, verifyToken } from "./signed-tokens.ts";

const INVALID = expect.objectContaining({ reason: "PRINCIPAL_INVALID" });
const EXPIRED = expect.objectContaining({ reason: "PRINCIPAL_EXPIRED" });

function newKey() {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const [key] = parsePrivateKeys(pem, "FILE");
  if (key === undefined) throw new Error("there is a key");
  return key;
}

const KEY = newKey();
const ACCEPTED = keysByHeader("principal", [publicHalf(KEY)]);
const clock = new FixedClock();
const NOW_S = Math.floor(clock.now() / 1000);
const CLAIMS = { tenant: "default", user: "ada", iat: NOW_S, exp: NOW_S + 300 };
const TOKEN = signToken("principal", CLAIMS, KEY);
const [HEADER = "", BODY = "", SIGNATURE = ""] = TOKEN.split(".");

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** A token with any header, signed by a key that is accepted. */
function withHeader(header: unknown, body = BODY): string {
  const signed = `${encode(header)}.${body}`;
  return `${signed}.${sign(null, Buffer.from(signed), KEY.key).toString("base64url")}`;
}

function hmacWith(secret: string | Buffer, header: unknown): string {
  const signed = `${encode(header)}.${BODY}`;
  return `${signed}.${createHmac("sha512", secret).update(signed).digest().toString("base64url")}`;
}

const PUBLIC_PEM = publicHalf(KEY).key.export({ type: "spki", format: "pem" });
const KID = KEY.thumbprint;

describe("a token", () => {
  it("has the claims of its signer, in text that a header can carry", () => {
    expect(TOKEN).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
    expect(verifyToken(TOKEN, ACCEPTED, { clock })).toEqual(CLAIMS);
    const header = JSON.parse(Buffer.from(HEADER, "base64url").toString());
    expect(header).toEqual({ alg: "EdDSA", kid: KID, typ: "fairlead-principal" });
  });

  it.each([
    ["other claims under the signature", `${HEADER}.${encode({ ...CLAIMS, user: "bob" })}.${SIGNATURE}`],
    ["a shortened signature", `${HEADER}.${BODY}.${SIGNATURE.slice(0, -4)}`],
    [
      "a signature in another spelling of the same bytes",
      `${HEADER}.${BODY}.${SIGNATURE.slice(0, -1)}${nextSpelling(SIGNATURE)}`,
    ],
    ["no signature", `${HEADER}.${BODY}.`],
    ["two parts", `${HEADER}.${BODY}`],
    ["four parts", `${TOKEN}.x`],
    ["an empty body", signedBody("")],
    ["alg none", `${encode({ alg: "none" })}.${BODY}.`],
    ["alg none with a signature", withHeader({ alg: "none", kid: KID, typ: "fairlead-principal" })],
    ["another spelling of the algorithm", withHeader({ alg: "eddsa", kid: KID, typ: "fairlead-principal" })],
    ["another order of the header", withHeader({ kid: KID, alg: "EdDSA", typ: "fairlead-principal" })],
    ["a key of its own in the header", withHeader({ alg: "EdDSA", kid: KID, typ: "fairlead-principal", jwk: {} })],
    ["the type of a grant", signToken("grant", CLAIMS, KEY)],
    ["an HMAC with the public key", hmacWith(PUBLIC_PEM, { alg: "HS512", kid: KID, typ: "fairlead-principal" })],
    ["an HMAC under the right header", hmacWith(PUBLIC_PEM, { alg: "EdDSA", kid: KID, typ: "fairlead-principal" })],
    ["a key that is not accepted", signToken("principal", CLAIMS, newKey())],
    [
      "the name of an accepted key on another key's signature",
      signToken("principal", CLAIMS, { ...newKey(), thumbprint: KID }),
    ],
    ["a longer life than tokens have", signToken("principal", { ...CLAIMS, exp: NOW_S + 361 }, KEY)],
    ["an issue in the future", signToken("principal", { iat: NOW_S + 62, exp: NOW_S + 100 }, KEY)],
    ["no times", signToken("principal", { iat: Number.NaN, exp: Number.NaN }, KEY)],
    ["ten thousand characters", `${HEADER}.${"A".repeat(10_000)}.${SIGNATURE}`],
    ["ten thousand dots", ".".repeat(10_000)],
    ["nothing", ""],
    ["a word", "ada"],
  ])("is refused with %s", (_, text) => {
    expect(() => verifyToken(text, ACCEPTED, { clock })).toThrow(INVALID);
  });

  it("is refused when it has expired, and accepted from a clock that is a minute ahead", () => {
    expect(() =>
      verifyToken(signToken("principal", { iat: NOW_S - 300, exp: NOW_S }, KEY), ACCEPTED, { clock }),
    ).toThrow(EXPIRED);
    const ahead = { iat: NOW_S + 60, exp: NOW_S + 360 };
    expect(verifyToken(signToken("principal", ahead, KEY), ACCEPTED, { clock })).toEqual(ahead);
  });
});

describe("a token under a secret key", () => {
  const SECRET = sessionGrantKey(KEY);
  const OWN = keysByHeader("session-grant", [SECRET]);
  const text = signToken("session-grant", CLAIMS, SECRET);
  const [header = "", body = "", mac = ""] = text.split(".");
  const bits = SECRET.key.export();

  function macOf(given: string, secret: Buffer | string = bits): string {
    return `${given}.${createHmac("sha256", secret).update(given).digest().toString("base64url")}`;
  }

  it("has the claims of its signer, and a key that another private key or the public half does not have", () => {
    expect(verifyToken(text, OWN, { clock })).toEqual(CLAIMS);
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({
      ...{ alg: "HS256", kid: KID, typ: "fairlead-session-grant" },
    });
    expect(macOf(`${header}.${body}`)).toBe(text);
    expect(sessionGrantKey(KEY).key.export()).toEqual(bits);
    expect(sessionGrantKey(newKey()).key.export()).not.toEqual(bits);
    expect(() => sessionGrantKey(publicHalf(KEY))).toThrow(TypeError);
  });

  it.each([
    ["other claims", `${header}.${encode({ ...CLAIMS, user: "bob" })}.${mac}`],
    ["a shortened code", `${header}.${body}.${mac.slice(0, -4)}`],
    ["another spelling of the code", `${header}.${body}.${mac.slice(0, -1)}${nextSpelling(mac)}`],
    ["no code", `${header}.${body}.`],
    ["a code under another key", macOf(`${header}.${body}`, sessionGrantKey(newKey()).key.export())],
    ["a code under the public key", macOf(`${header}.${body}`, PUBLIC_PEM)],
    ["a code under an empty key", macOf(`${header}.${body}`, "")],
    [
      "a signature with the private key",
      `${header}.${body}.${sign(null, Buffer.from(`${header}.${body}`), KEY.key).toString("base64url")}`,
    ],
    [
      "the header of a signature",
      macOf(`${encode({ alg: "EdDSA", kid: KID, typ: "fairlead-session-grant" })}.${body}`),
    ],
    ["alg none", macOf(`${encode({ alg: "none", kid: KID, typ: "fairlead-session-grant" })}.${body}`)],
    ["the type of a grant", macOf(`${encode({ alg: "HS256", kid: KID, typ: "fairlead-grant" })}.${body}`)],
    ["the type of a principal", macOf(`${encode({ alg: "HS256", kid: KID, typ: "fairlead-principal" })}.${body}`)],
    ["a longer life than tokens have", signToken("session-grant", { ...CLAIMS, exp: NOW_S + 361 }, SECRET)],
  ])("is refused with %s", (_, given) => {
    expect(() => verifyToken(given, OWN, { clock })).toThrow(INVALID);
  });

  it("is not a token of another kind", () => {
    for (const kind of ["principal", "grant", "permit", "evaluation"] as const)
      expect(() => verifyToken(text, keysByHeader(kind, [publicHalf(KEY)]), { clock })).toThrow(INVALID);
  });
});

function signedBody(body: string): string {
  const signed = `${HEADER}.${body}`;
  return `${signed}.${sign(null, Buffer.from(signed), KEY.key).toString("base64url")}`;
}

/** Another last character for the same bytes: its four lowest bits are unused. */
function nextSpelling(signature: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(signature.at(-1) ?? "") + 1] ?? "";
}
