import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { assertAccessToken } from "./access-token.ts";
import type { Issuer } from "./issuer.ts";
import { readToken } from "./token-form.ts";

const NOW = 1_767_225_600;
const DAY = 86_400;
const CLAIMS = { sub: "ada", iat: NOW, exp: NOW + 300 };
// All that the check uses of an issuer.
const ISSUER = { typ: "", clients: [] } as unknown as Issuer;

function check(
  claims: JsonObject,
  { header = {}, issuer = {} }: { header?: JsonObject; issuer?: Partial<Issuer> } = {},
) {
  return () => assertAccessToken({ header, claims: { ...CLAIMS, ...claims } }, { ...ISSUER, ...issuer }, NOW * 1000);
}

describe("an access token", () => {
  it.each<[JsonObject, Parameters<typeof check>[1]]>([
    [{ exp: NOW + 1 }, {}],
    [{ exp: NOW + 30 * DAY }, {}],
    [{ iat: NOW + 30, exp: NOW + 60 }, {}],
    [{ iat: 0, exp: 1 }, {}],
    [{ azp: "app" }, { issuer: { clients: ["app"] } }],
    [{ client_id: "app" }, { issuer: { clients: ["other", "app"] } }],
    [{ typ: "Bearer", nonce: "n" }, {}],
    [{ token_use: "access", at_hash: "h" }, {}],
    [{}, { header: { typ: "AT+JWT" } }],
    [{ nonce: "n" }, { header: { typ: "own" }, issuer: { typ: "own" } }],
  ])("with %j (%j) is accepted", (claims, options) => {
    expect(check(claims, options)).not.toThrow();
  });

  it.each<[JsonObject, Parameters<typeof check>[1], string]>([
    [{ exp: NOW + 30 * DAY + 1 }, {}, "valid for more than 30 days"],
    [{ iat: NOW + 31 }, {}, "issued in the future"],
    [{ exp: NOW }, {}, "make no sense"],
    [{ exp: NOW - 1 }, {}, "make no sense"],
    [{ iat: -1 }, {}, "make no sense"],
    [{ iat: "1" }, {}, "make no sense"],
    [{ exp: "9" }, {}, "make no sense"],
    [{ cnf: { jkt: "k" } }, {}, "bound to a key of its client"],
    [{ azp: "other" }, { issuer: { clients: ["app"] } }, "client (azp) is not accepted"],
    [{ azp: ["app"] }, { issuer: { clients: ["app"] } }, "client (azp) is not accepted"],
    [{ azp: "other", client_id: "app" }, { issuer: { clients: ["app"] } }, "client (azp) is not accepted"],
    [{}, { issuer: { clients: ["app"] } }, "client (azp) is not accepted"],
    [{ nonce: "n" }, {}, "is not an access token"],
    [{ at_hash: "h" }, {}, "is not an access token"],
    [{ typ: "ID" }, {}, "is not an access token"],
    [{ token_use: "id" }, {}, "is not an access token"],
    [{}, { header: { typ: "logout+jwt" } }, "is not an access token"],
  ])("with %j (%j) is refused", (claims, options, problem) => {
    expect(check(claims, options)).toThrow(problem);
    expect(check(claims, options)).toThrow(expect.objectContaining({ reason: "UNAUTHENTICATED" }));
  });
});

describe("the text of a token", () => {
  const part = (text: string): string => Buffer.from(text).toString("base64url");
  const tokenOf = (header: string, claims = "{}"): string => `${part(header)}.${part(claims)}.c2ln`;

  it("is read as its header and claims", () => {
    expect(readToken(tokenOf('{"alg":"RS256"}', '{"sub":"ü"}'))).toEqual({
      header: { alg: "RS256" },
      claims: { sub: "ü" },
    });
  });

  it("may have 16 KiB", () => {
    const padded = (length: number): string => {
      const base = `${part("{}")}.${part("{}")}.`;
      return base + "a".repeat(length - base.length);
    };
    expect(readToken(padded(16 * 1024))).toEqual({ header: {}, claims: {} });
    expect(() => readToken(padded(16 * 1024 + 1))).toThrow("too long");
  });

  it.each<readonly [string, string]>([
    ["a.b", "not a signed JSON Web Token"],
    [`${part("{}")}.${part("{}")}.`, "not a signed JSON Web Token"],
    [`${part("{}")}.${part("{}")}.a.b`, "not a signed JSON Web Token"],
    [tokenOf("{"), "header is not JSON."],
    [tokenOf("{}", "["), "content is not JSON."],
    [tokenOf("[]"), "header is not a JSON object"],
    [tokenOf("{}", "null"), "content is not a JSON object"],
    [tokenOf("{}", '{"sub":"a","sub":"b"}'), "content has a member twice"],
    ...["jku", "jwk", "x5u", "x5c", "crit", "b64", "zip"].map(
      (name) => [tokenOf(`{"${name}":null}`), `header has ${name}`] as const,
    ),
  ])("%s is refused", (token, problem) => {
    expect(() => readToken(token)).toThrow(problem);
  });
});
