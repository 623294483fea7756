import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCOPES } from "#services/gateway/identity/scopes.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";

/** Scopes of everybody who signs in on the provider's page; the key has all. */
const USER_SCOPES = ["runs:write", "sessions:read", "sessions:write", "artifacts", "memory", "evals"];

/** An identity provider on this machine that signs in any name without a password, and the gateways' settings for it. */
export class DevelopmentSignIn implements AsyncDisposable {
  readonly settings: Readonly<Record<string, string>>;
  readonly #issuer: TestIssuer;

  /** Writes the key of cookies into the folder, which all gateways share. */
  static async start(folder: string): Promise<DevelopmentSignIn> {
    const keyFile = join(folder, "cookie.key");
    writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o600 });
    return new DevelopmentSignIn(await TestIssuer.start(), keyFile);
  }

  constructor(issuer: TestIssuer, keyFile: string) {
    this.#issuer = issuer;
    this.settings = {
      ...{ AUTH: "api-key,oidc", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: issuer.audience },
      ...{ OIDC_CLIENT_ID: "pages", SESSION_COOKIE_KEY_FILE: keyFile },
      OIDC_SCOPE_MAP: USER_SCOPES.map((scope) => `*=${scope}`).join(","),
    };
  }

  /** A new API key with all scopes, created by the platform's gateway. */
  async createKey(gatewayUrl: string): Promise<string> {
    const token = await this.#issuer.token({ claims: { sub: "platform", scope: SCOPES.join(" ") } });
    const response = await fetch(`${gatewayUrl}/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "platform", scopes: SCOPES }),
    });
    if (!response.ok) throw new Error(`The gateway has created no API key: ${await response.text()}`);
    // The route's answer.
    return ((await response.json()) as { readonly key: string }).key;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#issuer[Symbol.asyncDispose]();
  }
}
