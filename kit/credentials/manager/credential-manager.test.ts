import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { credentialKeyOf } from "#kit/credentials/credential-key.ts";
import type { CredentialScope } from "#kit/credentials/credential-scope.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { AuthorizationServer, type AuthorizationServerOptions } from "#test/helpers/servers/authorization-server.ts";
import { oauthConfig, outboundTo } from "#test/helpers/servers/credential-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { authorizationRequest } from "../oauth/authorization-request.ts";
import { CredentialManager } from "./credential-manager.ts";

const ADA = { appName: "app", userId: "ada" };

async function createManagerWorld(options: AuthorizationServerOptions = {}) {
  const clock = new FixedClock();
  const server = await AuthorizationServer.start({ now: () => clock.now(), ...options });
  const outbound = outboundTo(server);
  onTestFinished(async () => {
    await outbound[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const service = new InMemoryCredentialService();
  const reads: string[] = [];
  const load = service.loadCredential.bind(service);
  service.loadCredential = (owner, key) => {
    reads.push(key);
    return load(owner, key);
  };
  /** The means of one run. */
  const scope = (given: Partial<CredentialScope> = {}): { readonly credentialScope: CredentialScope } => ({
    credentialScope: {
      ...{ owner: ADA, service, outbound, clock, logger: silentLogger, answer: undefined },
      signal: new AbortController().signal,
      known: { stored: new Map(), answers: new Map() },
      ...given,
    },
  });
  return { server, service, clock, scope, reads };
}

function tokenOf(credential: AuthCredential | undefined): string | undefined {
  return credential !== undefined && "oauth2" in credential ? credential.oauth2?.accessToken : undefined;
}

describe("a credential manager", () => {
  // The library of OAuth is loaded by the first exchange.
  beforeAll(() => import("openid-client"));

  it("reads a stored credential once in a run, and shares it with no other user", async () => {
    verifies("platform:credentials:separate");
    const { server, service, scope, reads } = await createManagerWorld();
    const config = oauthConfig(server);
    const key = credentialKeyOf(config);
    await service.saveCredential(ADA, key, { authType: "oauth2", oauth2: { accessToken: "ada's" } });
    const manager = new CredentialManager(config);
    const run = scope();
    for (let calls = 0; calls < 3; calls += 1) expect(tokenOf(await manager.getAuthCredential(run))).toBe("ada's");
    expect(reads).toEqual([key]);
    const known = run.credentialScope.known;
    for (const owner of [
      { ...ADA, userId: "eve" },
      { ...ADA, appName: "b" },
      { ...ADA, tenantId: "t" },
    ])
      expect(await manager.getAuthCredential(scope({ owner, known }))).toBeUndefined();
  });

  it("refreshes an expired token once for all runs", async () => {
    verifies("tools:credentials:refresh");
    const { server, service, clock, scope } = await createManagerWorld({ lifetimeSeconds: 60 });
    const config = oauthConfig(server);
    const manager = new CredentialManager(config);
    const request = await authorizationRequest(config, scope().credentialScope);
    const { authUri = "", state = "" } = (request as unknown as Required<AuthConfig>).exchangedAuthCredential[
      "oauth2" as never
    ] as {
      authUri?: string;
      state?: string;
    };
    const authResponseUri = await server.consent(authUri);
    await service.saveCredential(ADA, "adk_answer_q", { authType: "oauth2", oauth2: { authResponseUri, state } });
    const answer = { questionId: "q", credentialKey: credentialKeyOf(config), state, issuer: undefined };
    const first = tokenOf(await manager.getAuthCredential(scope({ answer })));
    clock.advance(120_000);
    const runs = Array.from({ length: 5 }, () => new CredentialManager(config).getAuthCredential(scope()));
    const tokens = (await Promise.all(runs)).map(tokenOf);
    expect(new Set(tokens).size).toBe(1);
    expect([tokens[0] === first, server.refusals]).toEqual([false, []]);
    expect(server.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"]);
    // The next refresh uses the new refresh token.
    clock.advance(120_000);
    expect(tokenOf(await manager.getAuthCredential(scope()))).toBeDefined();
    // A refresh token that the server has revoked leads to a new question.
    clock.advance(120_000);
    server.endSignIns();
    expect(await manager.getAuthCredential(scope())).toBeUndefined();
    expect(await service.loadCredential(ADA, credentialKeyOf(config))).toBeUndefined();
  });

  it.each(["client_secret_basic", "client_secret_post"])("gets tokens of the client itself by %s", async (method) => {
    const { server, scope } = await createManagerWorld({ client: { id: "cid", secret: "very-secret", method } });
    const config: AuthConfig = {
      authScheme: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: `${server.url}/token`, scopes: { read: "" } } },
      },
      rawAuthCredential: {
        authType: "oauth2",
        oauth2: { clientId: "cid", clientSecret: "very-secret", tokenEndpointAuthMethod: method },
      },
    };
    const manager = new CredentialManager(config);
    const [one, two] = [await manager.getAuthCredential(scope()), await manager.getAuthCredential(scope())];
    expect([tokenOf(one) === tokenOf(two), server.tokenRequests.length]).toEqual([true, 1]);
    expect(server.tokenRequests[0]?.get("scope")).toBe("read");
  });

  it("says why a token was refused, without what the server says beside the code", async () => {
    verifies("tools:credentials:secrets");
    const { server, scope } = await createManagerWorld();
    const flows = { clientCredentials: { tokenUrl: `${server.url}/token` } };
    const manager = new CredentialManager({
      authScheme: { type: "oauth2", flows },
      rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "WRONG-SECRET" } },
    });
    const failure = manager.getAuthCredential(scope());
    await expect(failure).rejects.toMatchObject({
      reason: "CREDENTIAL_EXCHANGE_FAILED",
      message: `No token was obtained: ${server.host} refused the request for a token: invalid_client.`,
    });
    const error: unknown = await failure.catch((thrown: unknown) => thrown);
    expect(JSON.stringify([error, (error as Error).cause ?? null])).not.toContain("SECRET");
  });

  it("finds the endpoints that an issuer publishes, and refuses metadata of another issuer", async () => {
    const { server, scope } = await createManagerWorld();
    const raw = { authType: "openIdConnect", oauth2: { clientId: "cid", clientSecret: "very-secret" } } as const;
    const configs: AuthConfig[] = [
      {
        authScheme: { type: "openIdConnect", openIdConnectUrl: `${server.url}/.well-known/openid-configuration` },
        rawAuthCredential: raw,
      },
      {
        authScheme: { type: "oauth2", issuer_url: server.url, flows: { authorizationCode: {} } },
        rawAuthCredential: { ...raw, authType: "oauth2" },
      },
    ];
    for (const config of configs) {
      const request = JSON.stringify(await authorizationRequest(config, scope().credentialScope));
      expect(request).toContain(`${server.url}/authorize?response_type=code`);
    }
    const foreign: AuthConfig = {
      authScheme: { type: "oauth2", issuer_url: `${server.url}/tenant`, flows: { authorizationCode: {} } },
      rawAuthCredential: { ...raw, authType: "oauth2" },
    };
    await expect(authorizationRequest(foreign, scope().credentialScope)).rejects.toMatchObject({
      reason: "CREDENTIAL_UNUSABLE",
    });
  });

  it.each<[string, AuthConfig, string]>([
    ["no client", { authScheme: { type: "oauth2", flows: { authorizationCode: {} } } }, "clientId is missing"],
    [
      "no endpoints",
      {
        authScheme: { type: "oauth2", flows: { authorizationCode: {} } },
        rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "c" } },
      },
      "names no tokenUrl",
    ],
    [
      "an endpoint without TLS",
      {
        authScheme: { type: "oauth2", flows: { authorizationCode: { tokenUrl: "http://auth.example.com/token" } } },
        rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "c" } },
      },
      "not an https address",
    ],
    [
      "a flow that is not supported",
      {
        authScheme: { type: "oauth2", flows: { implicit: { authorizationUrl: "https://a.example" } } },
        rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "c" } },
      },
      "other flows are not supported",
    ],
  ])("refuses a config with %s", async (_, config, problem) => {
    const { scope } = await createManagerWorld();
    const asked = authorizationRequest(config, scope().credentialScope);
    await expect(asked).rejects.toMatchObject({ reason: "CREDENTIAL_UNUSABLE" });
    await expect(asked).rejects.toThrow(problem);
  });

  it.each([
    [false, "access_token", "scope"],
    [true, "id_token", "target_audience"],
  ])("gets tokens of a service account (id token: %s)", async (useIdToken, member, claim) => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const sent: { readonly url: string; readonly body: URLSearchParams }[] = [];
    const outbound: CredentialScope["outbound"] = {
      fetch: async (url, init) => {
        sent.push({ url: String(url), body: new URLSearchParams(String(init?.body)) });
        return Response.json({ [member]: "SECRET-token", expires_in: 3600 });
      },
    };
    const { scope, clock } = await createManagerWorld();
    const manager = new CredentialManager({
      authScheme: { type: "http", scheme: "bearer" },
      rawAuthCredential: {
        authType: "serviceAccount",
        serviceAccount: {
          ...{ useIdToken, audience: "https://service.example", scopes: ["a", "b"] },
          serviceAccountCredential: {
            ...{ type: "service_account", client_email: "robot@p.example", private_key: pem },
            token_uri: "https://attacker.example/token",
          },
        },
      },
    });
    for (let calls = 0; calls < 2; calls += 1)
      expect(await manager.getAuthCredential(scope({ outbound }))).toEqual({
        authType: "http",
        http: { scheme: "bearer", credentials: { token: "SECRET-token" } },
      });
    expect(sent.map(({ url }) => url)).toEqual(["https://oauth2.googleapis.com/token"]);
    const [, claims = ""] = sent[0]?.body.get("assertion")?.split(".") ?? [];
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toHaveProperty(claim);
    clock.advance(3_600_000);
    await manager.getAuthCredential(scope({ outbound }));
    expect(sent).toHaveLength(2);
  });

  it.each([
    [{ expires_in: 600 }, 540_000],
    [{}, 3_540_000],
    [{ expires_in: "600" }, 3_540_000],
  ])("renews a service account's token with %j a minute before its end", async (more, usedMs) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    let sent = 0;
    const outbound: CredentialScope["outbound"] = {
      fetch: async () => {
        sent += 1;
        return Response.json({ access_token: `token ${sent}`, ...more });
      },
    };
    const { scope, clock } = await createManagerWorld();
    const key = { type: "service_account", client_email: "robot@p.example", private_key: pem } as const;
    const manager = new CredentialManager({
      authScheme: { type: "http", scheme: "bearer" },
      rawAuthCredential: { authType: "serviceAccount", serviceAccount: { serviceAccountCredential: key } },
    });
    const get = async () => JSON.stringify(await manager.getAuthCredential(scope({ outbound })));
    expect(await get()).toContain("token 1");
    clock.advance(usedMs - 1);
    expect(await get()).toContain("token 1");
    clock.advance(1);
    expect(await get()).toContain("token 2");
  });

  it.each([
    ['{"error":"invalid_grant"}', 400, "HTTP status 400, invalid_grant."],
    ['{"error":"SECRET text"}', 400, "HTTP status 400, no reason."],
    ['{"access_token":"SECRET"}', 500, "HTTP status 500, no reason."],
    ['{"access_token":5}', 200, "HTTP status 200, no reason."],
    ["SECRET", 200, "HTTP status 200, no reason."],
  ])(
    "reports that a service account got no token for %j with %i, without what the server says",
    async (body, status, problem) => {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      const { scope } = await createManagerWorld();
      const key = { type: "service_account", client_email: "robot@p.example", private_key: pem } as const;
      const manager = new CredentialManager({
        authScheme: { type: "http", scheme: "bearer" },
        rawAuthCredential: { authType: "serviceAccount", serviceAccount: { serviceAccountCredential: key } },
      });
      const outbound: CredentialScope["outbound"] = { fetch: async () => new Response(body, { status }) };
      // The refusal is not remembered: each attempt asks the server, and says the same.
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const getting = manager.getAuthCredential(scope({ outbound }));
        await expect(getting).rejects.toMatchObject({
          reason: "CREDENTIAL_EXCHANGE_FAILED",
          message: expect.stringContaining(problem),
        });
        await expect(getting).rejects.not.toThrow("SECRET");
      }
    },
  );
});
