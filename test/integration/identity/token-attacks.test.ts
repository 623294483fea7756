import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportSPKI, importJWK, type JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { Issuer } from "#services/gateway/identity/oidc/issuer.ts";
import { openOidc } from "#services/gateway/identity/oidc/open-oidc.ts";
import { ScopeMap } from "#services/gateway/identity/scope-map.ts";
import { bearing } from "#test/helpers/identity/incoming.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";

const clock = new FixedClock();
const NOW = Math.floor(clock.now() / 1000);

let issuer: TestIssuer;
let other: TestIssuer;
beforeAll(async () => {
  issuer = await TestIssuer.start({ now: () => clock.now() });
  other = await TestIssuer.start({ now: () => clock.now() });
});
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

async function open(members: Partial<Issuer> = {}) {
  const options = { clock, logger: new RecordingLogger() };
  return openOidc([issuerOf(members)], options);
}

function issuerOf(members: Partial<Issuer>): Issuer {
  return {
    ...{
      issuer: issuer.url,
      audience: ["agents"],
      clients: [],
      jwksUri: "",
      typ: "",
      userClaim: "sub",
      tenant: { kind: "fixed", tenantId: "default" },
      userPrefix: "",
    },
    ...{ scopesClaim: "", groupsClaim: "groups", scopeMap: new ScopeMap([], "test", []) },
    ...members,
  };
}

/** What the server says of a token: the caller's subject, or the refusal. */
async function outcome(token: string, members: Partial<Issuer> = {}): Promise<string> {
  try {
    const authenticator = await open(members);
    const caller = await authenticator.authenticate(bearing(token));
    return caller?.subject ?? "no caller";
  } catch (error) {
    return error instanceof Error && "reason" in error ? `${String(error.reason)}: ${error.message}` : String(error);
  }
}

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token of any text, signed by a key that no issuer has: what is refused by its form is refused before that. */
async function signedText(header: string, claims: string): Promise<string> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${sign("sha256", Buffer.from(input), createPrivateKey(privateKey.export({ type: "pkcs1", format: "pem" }))).toString("base64url")}`;
}

const CLAIMS = { aud: "agents", sub: "ada", iat: NOW, exp: NOW + 300 };

describe("a token", () => {
  it("of the issuer is accepted, whatever accepted algorithm signs it", async () => {
    verifies("authentication:oidc:checked");
    for (const alg of ["RS256", "ES256", "PS256", "EdDSA"]) {
      await using signer = await TestIssuer.start({ now: () => clock.now() });
      await signer.rotate({ alg });
      expect(await outcome(await signer.token(), { issuer: signer.url })).toBe(`oidc:${signer.url}|ada`);
    }
  });

  it.each<readonly [string, Parameters<TestIssuer["token"]>[0], RegExp]>([
    ["with a wrong audience", { claims: { aud: "billing" } }, /aud is not accepted/],
    ["with a list of wrong audiences", { claims: { aud: ["billing", "agents2"] } }, /aud is not accepted/],
    ["without an audience", { claims: { aud: undefined } }, /aud is not accepted/],
    ["that has expired", { claims: { iat: NOW - 400, exp: NOW - 31 } }, /has expired/],
    ["without an end", { claims: { exp: undefined } }, /exp is not accepted/],
    ["whose end is a text", { claims: { exp: "never" } }, /exp is not accepted|not valid/],
    ["whose end is in milliseconds", { claims: { exp: (NOW + 300) * 1000 } }, /more than 30 days/],
    ["that is not valid yet", { claims: { nbf: NOW + 31 } }, /nbf is not accepted/],
    ["of the future", { claims: { iat: NOW + 31, exp: NOW + 300 } }, /issued in the future/],
    ["from before the time", { claims: { iat: -5 } }, /make no sense/],
    ["that ends before it begins", { claims: { iat: NOW + 20, exp: NOW + 10 } }, /make no sense/],
    ["without the time of issue", { claims: { iat: undefined } }, /iat is not accepted/],
    ["without a subject", { claims: { sub: undefined } }, /sub is not accepted/],
    ["with an empty subject", { claims: { sub: "" } }, /sub is not a valid name/],
    ["with a control character as its subject", { claims: { sub: "a\u0000b" } }, /sub is not a valid name/],
    ["with a subject that is not text", { claims: { sub: 7 } }, /sub/],
    ["that is an id token by its nonce", { claims: { nonce: "n" } }, /not an access token/],
    ["that is an id token by its hash", { claims: { at_hash: "h" } }, /not an access token/],
    ["that is an id token of Keycloak", { claims: { typ: "ID" } }, /not an access token/],
    ["that is an id token of Cognito", { claims: { token_use: "id" } }, /not an access token/],
    ["that is a refresh token of Keycloak", { claims: { typ: "Refresh" } }, /not an access token/],
    ["for a logout", { header: { typ: "logout+jwt" } }, /not an access token/],
    ["that is bound to a key", { claims: { cnf: { jkt: "x" } } }, /bound to a key/],
    ["with jku", { header: { jku: "https://evil.example/keys" } }, /header has jku/],
    ["with x5u", { header: { x5u: "https://evil.example/cert" } }, /header has x5u/],
    ["with a key of its own", { header: { jwk: { kty: "RSA", n: "AQAB", e: "AQAB" } } }, /header has jwk/],
    ["with a certificate of its own", { header: { x5c: ["MII"] } }, /header has x5c/],
    ["with an unknown key", { header: { kid: "nobody's" } }, /key is unknown/],
    ["whose key's name is a number", { header: { kid: 1 as never } }, /key is unknown/],
    ["whose key's name is a list", { header: { kid: ["key-1"] as never } }, /key is unknown/],
    ["whose key's name is of 10 KB", { header: { kid: "k".repeat(10_000) } }, /key is unknown/],
    ["with a path as its key", { header: { kid: "../../../../dev/null" } }, /key is unknown/],
    ["with a query as its key", { header: { kid: "x' UNION SELECT 'secret" } }, /key is unknown/],
  ])("%s is refused", async (_, parts, expected) => {
    verifies("authentication:oidc:checked");
    const said = await outcome(await issuer.token(parts));
    expect(said).toMatch(/^UNAUTHENTICATED: /);
    expect(said).toMatch(expected);
  });

  it("is accepted up to 30 seconds after its end and before its beginning, and not a second longer", async () => {
    verifies("authentication:oidc:checked");
    const at = async (claims: JWTPayload) => outcome(await issuer.token({ claims }));
    const accepted = `oidc:${issuer.url}|ada`;
    // RFC 7519: a token is valid before the second in which it ends.
    expect(await at({ iat: NOW - 400, exp: NOW - 29 })).toBe(accepted);
    expect(await at({ iat: NOW - 400, exp: NOW - 30 })).toMatch(/has expired/);
    expect(await at({ nbf: NOW + 30 })).toBe(accepted);
    expect(await at({ nbf: NOW + 31 })).toMatch(/nbf is not accepted/);
    expect(await at({ iat: NOW + 30, exp: NOW + 300 })).toBe(accepted);
    expect(await at({ iat: NOW + 31, exp: NOW + 300 })).toMatch(/issued in the future/);
    for (const nbf of ["soon", null, [], {}]) expect(await at({ nbf: nbf as never })).toMatch(/^UNAUTHENTICATED/);
    for (const exp of [null, [], {}, "9999999999", Number.MAX_VALUE])
      expect(await at({ exp: exp as never })).toMatch(/^UNAUTHENTICATED/);
  });

  it("in another token, or encrypted, is refused", async () => {
    verifies("authentication:oidc:checked");
    const inner = await issuer.token();
    const header = JSON.stringify({ alg: "RS256", kid: "key-1", typ: "JWT", cty: "JWT" });
    expect(await outcome(await signedText(header, JSON.stringify(inner)))).toMatch(/content is not a JSON object/);
    expect(await outcome(await signedText(header, inner))).toMatch(/content is not JSON/);
    const encrypted = [{ alg: "RSA-OAEP", enc: "A256GCM" }, "key", "iv", inner, "tag"].map(encoded).join(".");
    expect(await outcome(encrypted)).toMatch(/not a signed JSON Web Token/);
    expect(await outcome(`${encoded({ alg: "dir", enc: "A256GCM" })}.${inner.split(".")[1]}.AA`)).toMatch(/algorithm/);
  });

  it("by a signature of the wrong form or curve is refused", async () => {
    verifies("authentication:oidc:checked");
    await using curves = await TestIssuer.start({ now: () => clock.now() });
    await curves.rotate({ alg: "ES256", keepOld: false });
    const members = { issuer: curves.url };
    const token = await curves.token();
    expect(await outcome(token, members)).toMatch(/^oidc:/);
    const signed = token.slice(0, token.lastIndexOf("."));
    const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    const zero = "00".repeat(32);
    // The signature of zeros passes where r and s are not checked (CVE-2022-21449).
    for (const hex of [zero + zero, order + order, zero + order, "ff".repeat(64), "00".repeat(63), "00".repeat(65)])
      expect(await outcome(`${signed}.${Buffer.from(hex, "hex").toString("base64url")}`, members)).toMatch(/signature/);
    for (const point of [{ x: "AA", y: "AA" }, { x: "A".repeat(43), y: "A".repeat(43) }, { crv: "P-384" }]) {
      const keys = curves.keys.map((key) => ({ ...key, ...point }));
      await using broken = await servedKeys(keys);
      expect(await outcome(token, { ...members, jwksUri: broken.url })).toMatch(/^UNAUTHENTICATED: .*signature/);
    }
  });

  it("by an RSA key of less than 2048 bits, or by a secret that the issuer publishes, is refused", async () => {
    verifies("authentication:oidc:checked");
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const small = { ...publicKey.export({ format: "jwk" }), kid: "small", alg: "RS256", use: "sig" };
    const claims = { ...CLAIMS, iss: issuer.url };
    const input = `${encoded({ alg: "RS256", kid: "small" })}.${encoded(claims)}`;
    await using weak = await servedKeys([small]);
    const signature = sign("sha256", Buffer.from(input), privateKey).toString("base64url");
    expect(await outcome(`${input}.${signature}`, { jwksUri: weak.url })).toMatch(/^UNAUTHENTICATED: .*signature/);
    const secret = randomBytes(32);
    await using shared = await servedKeys([{ kty: "oct", kid: "shared", k: secret.toString("base64url") }]);
    const shown = `${encoded({ alg: "HS256", kid: "shared" })}.${encoded(claims)}`;
    const mac = createHmac("sha256", secret).update(shown).digest("base64url");
    expect(await outcome(`${shown}.${mac}`, { jwksUri: shared.url })).toMatch(/algorithm/);
  });

  it("of another issuer is refused, and of another issuer's key under this one's name", async () => {
    verifies("authentication:oidc:checked");
    expect(await outcome(await other.token())).toBe("UNAUTHENTICATED: The token's issuer (iss) is not accepted here.");
    expect(await outcome(await other.token({ claims: { iss: issuer.url } }))).toMatch(/^UNAUTHENTICATED: .*signature/);
    expect(await outcome(await issuer.token({ claims: { iss: undefined } }))).toMatch(/^UNAUTHENTICATED: .*issuer/);
    expect(await outcome(await issuer.token({ claims: { iss: [issuer.url] } }))).toMatch(/^UNAUTHENTICATED: .*issuer/);
  });

  it("without a signature is refused, in every spelling of none", async () => {
    verifies("authentication:oidc:checked");
    const claims = encoded({ ...CLAIMS, iss: issuer.url });
    for (const alg of ["none", "None", "NONE", ""]) {
      expect(await outcome(`${encoded({ alg, kid: "key-1" })}.${claims}.`)).toMatch(/^UNAUTHENTICATED/);
      expect(await outcome(`${encoded({ alg, kid: "key-1" })}.${claims}.AA`)).toMatch(
        /^UNAUTHENTICATED: .*algorithm|^UNAUTHENTICATED: .*signature/,
      );
    }
  });

  it("signed with the public key as a shared secret is refused", async () => {
    verifies("authentication:oidc:checked");
    const [jwk = {}] = issuer.keys;
    const pem = await exportSPKI((await importJWK(jwk, "RS256", { extractable: true })) as CryptoKey);
    const input = `${encoded({ alg: "HS256", kid: jwk.kid })}.${encoded({ ...CLAIMS, iss: issuer.url })}`;
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk), String(jwk.n)]) {
      const signature = createHmac("sha256", secret).update(input).digest("base64url");
      expect(await outcome(`${input}.${signature}`)).toMatch(/^UNAUTHENTICATED: The token's algorithm/);
    }
  });

  it("that was changed is refused", async () => {
    verifies("authentication:oidc:checked");
    const [header = "", , signature = ""] = (await issuer.token()).split(".");
    const claims = encoded({ ...CLAIMS, iss: issuer.url, sub: "bob" });
    expect(await outcome(`${header}.${claims}.${signature}`)).toMatch(/^UNAUTHENTICATED: .*signature/);
    expect(await outcome(`${header}.${(await issuer.token()).split(".")[1]}.${"A".repeat(342)}`)).toMatch(/signature/);
  });

  it("with critical extensions is refused", async () => {
    verifies("authentication:oidc:checked");
    const claims = JSON.stringify({ ...CLAIMS, iss: issuer.url });
    for (const extra of [{ crit: ["exp"] }, { crit: [], b64: false }, { b64: false }, { zip: "DEF" }]) {
      const header = JSON.stringify({ alg: "RS256", kid: "key-1", ...extra });
      expect(await outcome(await signedText(header, claims))).toMatch(/^UNAUTHENTICATED: The token's header has/);
    }
  });

  it("with a member twice is refused, however the name is written and however deep", async () => {
    verifies("authentication:oidc:checked");
    const header = JSON.stringify({ alg: "RS256", kid: "key-1" });
    const twice = [
      `{"iss":"${issuer.url}","sub":"ada","sub":"bob"}`,
      `{"iss":"${issuer.url}","sub":"ada","s\\u0075b":"bob"}`,
      `{"iss":"${issuer.url}","a":[{"b":{"c":1,"d":2,"c":3}}]}`,
    ];
    for (const claims of twice)
      expect(await outcome(await signedText(header, claims))).toMatch(/content has a member twice/);
    expect(await outcome(await signedText('{"alg":"none","kid":"key-1","alg":"RS256"}', "{}"))).toMatch(
      /header has a member twice/,
    );
  });

  it("that is none is refused: too long, in other forms, or no JSON", async () => {
    verifies("authentication:oidc:checked");
    const long = await issuer.token({ claims: { padding: "x".repeat(100_000) } });
    expect(await outcome(long)).toBe("UNAUTHENTICATED: The token is too long.");
    for (const text of ["", "a", "a.b", "a.b.c.d", "..", "a b.c.d", "é.b.c", `${await issuer.token()}.x.y`])
      expect(await outcome(text)).toMatch(/^UNAUTHENTICATED: The token is not a signed|^no caller$/);
    const json = encoded({ alg: "RS256" });
    for (const text of [`${encoded("[]")}.${json}.AA`, `${json}.${encoded("7")}.AA`, `${json}.${encoded("{")}.AA`])
      expect(await outcome(text)).toMatch(/^UNAUTHENTICATED: The token's (header|content) is not (a )?JSON/);
  });

  it("of a client that is not named is refused where clients are named", async () => {
    verifies("authentication:oidc:checked");
    const members = { clients: ["web", "cli"] };
    expect(await outcome(await issuer.token({ claims: { azp: "web" } }), members)).toMatch(/^oidc:/);
    expect(await outcome(await issuer.token({ claims: { client_id: "cli" } }), members)).toMatch(/^oidc:/);
    for (const claims of [
      { azp: "evil" },
      {},
      { azp: ["web"] },
      { azp: "evil", client_id: "web" },
      { aud: ["agents", "web"] },
    ])
      expect(await outcome(await issuer.token({ claims }), members)).toMatch(/client \(azp\) is not accepted/);
  });

  it("needs the type that the settings name", async () => {
    verifies("authentication:oidc:checked");
    const members = { typ: "at+jwt" };
    expect(await outcome(await issuer.token({ header: { typ: "at+jwt" } }), members)).toMatch(/^oidc:/);
    expect(await outcome(await issuer.token({ header: { typ: "application/at+jwt" } }), members)).toMatch(/^oidc:/);
    expect(await outcome(await issuer.token({ header: { typ: "JWT" } }), members)).toMatch(/typ is not accepted/);
    expect(await outcome(await issuer.token(), members)).toMatch(/typ is not accepted/);
  });

  it("is refused everywhere when it has expired since it was accepted", async () => {
    verifies("authentication:oidc:cached");
    const time = new FixedClock();
    const authenticator = await openOidc([issuerOf({})], { clock: time, logger: new RecordingLogger() });
    const token = await issuer.token({ claims: { exp: NOW + 10 } });
    expect(await authenticator.authenticate(bearing(token))).toMatchObject({ subject: `oidc:${issuer.url}|ada` });
    time.advance(39_000);
    expect(await authenticator.authenticate(bearing(token))).toMatchObject({ expiresAtMs: (NOW + 40) * 1000 });
    time.advance(2_000);
    await expect(authenticator.authenticate(bearing(token))).rejects.toThrow("The token has expired.");
  });
});

/** A server that publishes these keys. */
async function servedKeys(keys: readonly object[]) {
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys }))).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port has an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/keys`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
