import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { readAuthResponse } from "./auth-response.ts";

const API_KEY: JsonObject = { authScheme: { type: "apiKey", in: "header", name: "x" } };
const BASIC: JsonObject = { authScheme: { type: "http", scheme: "basic" } };
const HTTP: JsonObject = { authScheme: { type: "http" } };
const asked = (type: string, state?: string): JsonObject => ({
  authScheme: { type },
  ...(state !== undefined && { exchangedAuthCredential: { authType: type, oauth2: { state } } }),
});
const OAUTH = asked("oauth2", "s1");
const given = (oauth2: JsonObject): JsonObject => ({ exchangedAuthCredential: { authType: "oauth2", oauth2 } });
const redirect = (state: string): JsonObject =>
  given({ authResponseUri: `https://app.example/cb?code=c&state=${state}` });
const http = (credentials: JsonObject): JsonObject => ({ http: { credentials } });

describe("the answer to a request for a credential", () => {
  it.each<[string, JsonObject, JsonObject, object]>([
    ["a key", API_KEY, { exchangedAuthCredential: { apiKey: "k" } }, { authType: "apiKey", apiKey: "k" }],
    ["a key alone", API_KEY, { apiKey: "k", result: "other" }, { authType: "apiKey", apiKey: "k" }],
    ["a key as the result", API_KEY, { result: "k" }, { authType: "apiKey", apiKey: "k" }],
    [
      "a token",
      HTTP,
      http({ token: "t" }),
      { authType: "http", http: { scheme: "bearer", credentials: { token: "t" } } },
    ],
    [
      "a token as the result",
      HTTP,
      { result: "t" },
      { authType: "http", http: { scheme: "bearer", credentials: { token: "t" } } },
    ],
    [
      "a name and a password",
      BASIC,
      http({ username: "u", password: "p" }),
      { authType: "http", http: { scheme: "basic", credentials: { username: "u", password: "p" } } },
    ],
    [
      "an address",
      OAUTH,
      redirect("s1"),
      { authType: "oauth2", oauth2: { authResponseUri: "https://app.example/cb?code=c&state=s1", state: "s1" } },
    ],
    [
      "an address (OpenID)",
      asked("openIdConnect", "s1"),
      redirect("s1"),
      { authType: "oauth2", oauth2: { authResponseUri: "https://app.example/cb?code=c&state=s1", state: "s1" } },
    ],
    [
      "a code",
      OAUTH,
      given({ authCode: "c", state: "s1" }),
      { authType: "oauth2", oauth2: { authCode: "c", state: "s1" } },
    ],
    [
      "a code with its address",
      OAUTH,
      given({ authCode: "c", state: "s1", redirectUri: "r" }),
      { authType: "oauth2", oauth2: { authCode: "c", state: "s1", redirectUri: "r" } },
    ],
    [
      "a token of OAuth",
      OAUTH,
      given({ accessToken: "t", expiresAt: 5 }),
      { authType: "oauth2", oauth2: { accessToken: "t", expiresAt: 5 } },
    ],
    [
      "a token without an end",
      OAUTH,
      given({ accessToken: "t", expiresAt: "soon" }),
      { authType: "oauth2", oauth2: { accessToken: "t" } },
    ],
    // Only what the user gives is read.
    [
      "no client of the user",
      OAUTH,
      given({ accessToken: "t", clientId: "evil", refreshToken: "r" }),
      { authType: "oauth2", oauth2: { accessToken: "t" } },
    ],
  ])("has %s", (_title, request, response, credential) => {
    expect(readAuthResponse(response, request)).toEqual(credential);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["an address with another state", OAUTH, redirect("s2")],
    ["an address without a state", OAUTH, given({ authResponseUri: "https://app.example/cb?code=c" })],
    ["an address for a request without a state", asked("oauth2"), redirect("s1")],
    [
      "an address without a state for a request without one",
      asked("oauth2"),
      given({ authResponseUri: "https://a/cb" }),
    ],
    ["a code with another state", OAUTH, given({ authCode: "c", state: "s2" })],
    ["a code without a state", OAUTH, given({ authCode: "c" })],
    ["a code for a request without a state", asked("oauth2"), given({ authCode: "c", state: "s1" })],
    ["a code without a state for a request without one", asked("oauth2"), given({ authCode: "c" })],
  ])("is refused with %s", (_title, request, response) => {
    expect(() => readAuthResponse(response, request)).toThrow(
      expect.objectContaining({ reason: "CREDENTIAL_STATE_MISMATCH", details: { field: "newMessage" } }),
    );
  });

  it.each<[JsonObject, JsonObject, string]>([
    [API_KEY, {}, "exchangedAuthCredential.apiKey is missing"],
    [API_KEY, { apiKey: "" }, "exchangedAuthCredential.apiKey is missing"],
    [API_KEY, { apiKey: 5 }, "exchangedAuthCredential.apiKey is missing"],
    [BASIC, http({ password: "p" }), "http.credentials.token is missing"],
    [BASIC, http({ username: "u" }), "http.credentials.password is missing"],
    [OAUTH, given({}), "oauth2.authResponseUri is missing"],
    [OAUTH, given({ authResponseUri: "not an address" }), "oauth2.authResponseUri is not an address"],
    [{}, { result: "k" }, "the scheme of the request is unknown"],
    [{ authScheme: { type: "mutualTLS" } }, { result: "k" }, "the scheme of the request is unknown"],
    [API_KEY, { apiKey: "x".repeat(16_385) }, "apiKey has more than 16384 characters"],
  ])("to %j is refused as malformed: %j", (request, response, problem) => {
    const read = () => readAuthResponse(response, request);
    expect(read).toThrow(problem);
    expect(read).toThrow(expect.objectContaining({ reason: "CREDENTIAL_MALFORMED" }));
  });

  it("may have 16,384 characters", () => {
    const apiKey = "x".repeat(16_384);
    expect(readAuthResponse({ apiKey }, API_KEY)).toEqual({ authType: "apiKey", apiKey });
  });
});
