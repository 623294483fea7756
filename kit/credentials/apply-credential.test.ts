import { describe, expect, it } from "vitest";
import { applyCredential } from "./apply-credential.ts";
import type { AuthCredential } from "./auth-credential.ts";
import type { AuthScheme } from "./auth-scheme.ts";

const BEARER: AuthScheme = { type: "http", scheme: "bearer" };
const OAUTH2: AuthScheme = { type: "oauth2", flows: {} };
const NOTHING = { headers: {}, query: {}, cookies: {} };
const key = (place: "header" | "query" | "cookie", name = "X-Key"): AuthScheme => ({ type: "apiKey", in: place, name });
const http = (scheme: string, credentials: object, additionalHeaders = {}): AuthCredential => {
  return { authType: "http", http: { scheme, credentials, additionalHeaders } };
};

describe("what a credential adds to a request", () => {
  it.each<[AuthScheme, AuthCredential, object]>([
    [key("header"), { authType: "apiKey", apiKey: "k" }, { headers: { "X-Key": "k" } }],
    [key("query"), { authType: "apiKey", apiKey: "k&\n" }, { query: { "X-Key": "k&\n" } }],
    [key("cookie"), { authType: "apiKey", apiKey: "k" }, { cookies: { "X-Key": "k" } }],
    [BEARER, http("bearer", { token: "t" }), { headers: { Authorization: "Bearer t" } }],
    [BEARER, http("Basic", { username: "Ada", password: "p:s" }), { headers: { Authorization: "Basic QWRhOnA6cw==" } }],
    [BEARER, http("Key", { token: "t" }, { "X-T": "a" }), { headers: { "X-T": "a", Authorization: "Key t" } }],
    [OAUTH2, { authType: "oauth2", oauth2: { accessToken: "t" } }, { headers: { Authorization: "Bearer t" } }],
    [
      { type: "openIdConnect" },
      { authType: "openIdConnect", oauth2: { accessToken: "t", clientSecret: "s" } },
      { headers: { Authorization: "Bearer t" } },
    ],
  ])("for %j and %j is complete", (scheme, credential, applied) => {
    expect(applyCredential(scheme, credential)).toEqual({ ...NOTHING, ...applied });
  });

  it.each<[AuthScheme, AuthCredential, string]>([
    [key("header"), { authType: "apiKey" }, "apiKey is missing"],
    [key("header"), { authType: "apiKey", apiKey: "SECRET\r\nX-Other: 1" }, "apiKey has characters"],
    [key("header"), { authType: "apiKey", apiKey: "SECRET\n" }, "apiKey has characters"],
    [key("header", "X Key"), { authType: "apiKey", apiKey: "SECRET" }, "not a name of a header"],
    [key("cookie"), { authType: "apiKey", apiKey: "SECRET; other=1" }, "apiKey has characters"],
    [BEARER, { authType: "apiKey", apiKey: "SECRET" }, "does not fit a scheme of type http"],
    [BEARER, { authType: "http" }, "http is missing"],
    [BEARER, http("bearer", { token: "SECRET\n" }), "http.credentials.token has characters"],
    [BEARER, http("a b", { token: "SECRET" }), "not a name of a scheme"],
    [BEARER, http("basic", { password: "SECRET" }), "http.credentials.username is missing"],
    [BEARER, http("basic", { username: "a:b", password: "SECRET" }), "has a colon"],
    [BEARER, http("bearer", { token: "t" }, { "X-A": "SECRET\n" }), "http.additionalHeaders.X-A has characters"],
    [
      BEARER,
      http("bearer", { token: "t" }, { "X-A": "a", "X-B": "SECRET\n" }),
      "http.additionalHeaders.X-B has characters",
    ],
    [BEARER, http("bearer", { token: "t" }, { "X\n": "SECRET" }), "not a header's"],
    [BEARER, http("bearer", { token: "t" }, { "X-A": "a", "X\n": "SECRET" }), "not a header's"],
    [OAUTH2, { authType: "oauth2", oauth2: { refreshToken: "SECRET" } }, "oauth2.accessToken is missing"],
    [BEARER, { authType: "serviceAccount" }, "exchanged for a token first"],
  ])("is refused for %j and %j without showing the secret", (scheme, credential, problem) => {
    const apply = () => applyCredential(scheme, credential);
    expect(apply).toThrow(expect.objectContaining({ reason: "CREDENTIAL_UNUSABLE" }));
    expect(apply).toThrow(problem);
    expect(apply).not.toThrow("SECRET");
  });
});
