import { describe, expect, it } from "vitest";
import type { AuthConfig } from "./auth-config.ts";
import { credentialKeyOf } from "./credential-key.ts";

const CONFIG: AuthConfig = {
  authScheme: { type: "oauth2", flows: { authorizationCode: { tokenUrl: "https://a.example/token" } } },
  rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "c", clientSecret: "s" } },
};

describe("the name of a user's credential", () => {
  it("is made of scheme and client, and shows no secret", () => {
    expect(credentialKeyOf(CONFIG)).toMatch(/^adk_oauth2_[0-9a-f]{16}_oauth2_[0-9a-f]{16}$/);
    expect(credentialKeyOf({ authScheme: CONFIG.authScheme })).toMatch(/^adk_oauth2_[0-9a-f]{16}$/);
  });

  it("is the same whatever tokens the config holds, and in whatever order its members are", () => {
    const tokens = { accessToken: "t", refreshToken: "r", idToken: "i", expiresAt: 1, expiresIn: 60 };
    const consent = { authUri: "https://a.example/go?state=x", state: "x", nonce: "n", codeVerifier: "v" };
    const oauth2 = { clientSecret: "s", ...tokens, ...consent, clientId: "c" };
    const used: AuthConfig = { ...CONFIG, rawAuthCredential: { oauth2, authType: "oauth2" } };
    expect(credentialKeyOf(used)).toBe(credentialKeyOf(CONFIG));
  });

  it("differs for another client or endpoint", () => {
    const other: AuthConfig = { ...CONFIG, rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "d" } } };
    const elsewhere: AuthConfig = { ...CONFIG, authScheme: { type: "oauth2", flows: { password: {} } } };
    expect(new Set([CONFIG, other, elsewhere].map(credentialKeyOf)).size).toBe(3);
  });

  it("is the config's own if it has one", () => {
    expect(credentialKeyOf({ ...CONFIG, credentialKey: "calendar" })).toBe("calendar");
  });
});
