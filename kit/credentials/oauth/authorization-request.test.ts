import { beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import type { AuthScheme } from "../auth-scheme.ts";
import { credentialKeyOf } from "../credential-key.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { CredentialManager } from "../manager/credential-manager.ts";
import { authorizationRequest } from "./authorization-request.ts";
import type { OAuth2Auth } from "./oauth-client.ts";

const ADA = { appName: "app", userId: "ada" };
const FLOW = {
  authorizationUrl: "https://auth.example/go",
  tokenUrl: "https://auth.example/token",
  scopes: { read: "", openid: "" },
};
const OAUTH: AuthScheme = { type: "oauth2", flows: { authorizationCode: FLOW } };
const CLIENT: AuthCredential = { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "secret" } };

type Answer = object | number;

/** A user, and servers that give one answer for each address: JSON, or a status alone. */
function createWorld(answers: Readonly<Record<string, Answer>> = {}) {
  const service = new InMemoryCredentialService();
  const clock = new FixedClock();
  const sent: { readonly url: string; readonly form: URLSearchParams; readonly authorization: string | null }[] = [];
  const outbound: CredentialScope["outbound"] = {
    fetch: async (url, init) => {
      const form = new URLSearchParams(String(init?.body ?? ""));
      sent.push({ url: String(url), form, authorization: new Headers(init?.headers).get("authorization") });
      const answer = answers[String(url)] ?? 404;
      if (typeof answer === "number") return new Response("none", { status: answer });
      return Response.json(answer, { status: "error" in answer ? 400 : 200 });
    },
  };
  const scope = (given: Partial<CredentialScope> = {}): CredentialScope => ({
    ...{ owner: ADA, service, outbound, clock, logger: silentLogger, answer: undefined },
    signal: new AbortController().signal,
    known: { stored: new Map(), answers: new Map() },
    ...given,
  });
  return { service, clock, sent, scope };
}

function oauth2Of(request: JsonObject): JsonObject {
  const exchanged = request["exchangedAuthCredential"];
  const oauth2 = isJsonObject(exchanged) ? exchanged["oauth2"] : undefined;
  return isJsonObject(oauth2) ? oauth2 : expect.unreachable();
}

const withClient = (oauth2: Partial<OAuth2Auth>): AuthConfig => ({
  authScheme: OAUTH,
  rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "secret", ...oauth2 } },
});

// The library of OAuth is loaded by the first request.
beforeAll(() => import("openid-client"));

describe("the address of a sign-in", () => {
  const parametersOf = async (config: AuthConfig) => {
    const { authUri } = oauth2Of(await authorizationRequest(config, createWorld().scope()));
    const url = new URL(String(authUri));
    return { place: url.origin + url.pathname, ...Object.fromEntries(url.searchParams) };
  };
  const anything = expect.stringMatching(/^[\w-]{43}$/);
  const always = {
    ...{ place: "https://auth.example/go", response_type: "code", client_id: "cid", access_type: "offline" },
    ...{ prompt: "consent", state: anything, code_challenge: anything, code_challenge_method: "S256" },
  };

  it.each<[string, AuthConfig, object]>([
    ["scopes", withClient({}), { ...always, scope: "read openid", nonce: anything }],
    [
      "an address to return to, and an audience",
      withClient({ redirectUri: "https://app/cb", audience: "api" }),
      { ...always, scope: "read openid", nonce: anything, redirect_uri: "https://app/cb", audience: "api" },
    ],
    [
      "no scopes",
      { ...withClient({}), authScheme: { type: "oauth2", flows: { authorizationCode: { ...FLOW, scopes: {} } } } },
      always,
    ],
    [
      "no nonce without openid",
      {
        ...withClient({}),
        authScheme: { type: "oauth2", flows: { authorizationCode: { ...FLOW, scopes: { read: "" } } } },
      },
      { ...always, scope: "read" },
    ],
    [
      "an address of the author's own",
      withClient({ authUri: "https://own.example/in?x=1" }),
      { ...always, place: "https://own.example/in", x: "1", scope: "read openid", nonce: anything },
    ],
    [
      "openid for OpenID Connect",
      {
        authScheme: {
          type: "openIdConnect",
          authorization_endpoint: "https://auth.example/go",
          token_endpoint: "https://auth.example/token",
        },
        rawAuthCredential: CLIENT,
      },
      { ...always, scope: "openid", nonce: anything },
    ],
  ])("has %s", async (_title, config, parameters) => {
    expect(await parametersOf(config)).toEqual(parameters);
  });

  it("has a state of its own each time, and the secrets of one user are no other's", async () => {
    const { scope } = createWorld();
    const requests = [];
    for (const owner of [ADA, ADA, { ...ADA, userId: "eve" }])
      requests.push(await authorizationRequest(withClient({}), scope({ owner })));
    const seen = requests.map((request) => oauth2Of(request)["state"]);
    expect(new Set(seen).size).toBe(3);
    expect(JSON.stringify(requests)).not.toContain('secret"');
  });

  it("is not made for a config that has one, nor for a scheme without a sign-in", async () => {
    const { scope, service } = createWorld();
    const given: AuthCredential = {
      authType: "oauth2",
      oauth2: { clientId: "cid", authUri: "https://own.example/go" },
    };
    const request = await authorizationRequest({ ...withClient({}), exchangedAuthCredential: given }, scope());
    expect(oauth2Of(request)).toMatchObject({ authUri: "https://own.example/go" });
    const key = await authorizationRequest({ authScheme: { type: "apiKey", in: "header", name: "x" } }, scope());
    expect(key).toEqual({ authScheme: { type: "apiKey", in: "header", name: "x" }, credentialKey: expect.any(String) });
    expect(await service.loadCredential(ADA, "adk_consent")).toBeUndefined();
  });

  it("names the client's method of authentication, and the kind of credential", async () => {
    const methodOf = async (config: AuthConfig) => {
      const request = await authorizationRequest(config, createWorld().scope());
      const { authType } = request["exchangedAuthCredential"] as JsonObject;
      return [authType, oauth2Of(request)["tokenEndpointAuthMethod"]];
    };
    expect(await methodOf(withClient({}))).toEqual(["oauth2", "client_secret_basic"]);
    const openId = { authType: "openIdConnect", oauth2: { clientId: "cid", clientSecret: "s" } } as const;
    expect(await methodOf({ authScheme: OAUTH, rawAuthCredential: openId })).toEqual([
      "openIdConnect",
      "client_secret_basic",
    ]);
  });

  it("needs an endpoint of the server", async () => {
    const flow = { tokenUrl: "https://auth.example/token", scopes: {} };
    const config = {
      ...withClient({}),
      authScheme: { type: "oauth2", flows: { authorizationCode: flow } },
    } as AuthConfig;
    await expect(authorizationRequest(config, createWorld().scope())).rejects.toThrow("has no authorizationUrl");
  });
});

describe("the answer of a sign-in", () => {
  const TOKENS = {
    access_token: "at",
    token_type: "Bearer",
    expires_in: 60,
    refresh_token: "rt",
    id_token: "unverified",
  };

  /** Signs in, and returns what the call gets and what the token endpoint was sent. */
  async function signIn(
    config: AuthConfig,
    answers: Readonly<Record<string, Answer>>,
    { query = "", change = (state: string) => state, owner = ADA } = {},
  ) {
    const world = createWorld(answers);
    const { state = "" } = oauth2Of(await authorizationRequest(config, world.scope())) as { readonly state?: string };
    const authResponseUri = `https://app.example/cb?code=c1&state=${state}${query}`;
    await world.service.saveCredential(owner, "adk_answer_q", {
      authType: "oauth2",
      oauth2: { authResponseUri, state: change(state) },
    });
    const answer = { questionId: "q", credentialKey: credentialKeyOf(config), state, issuer: undefined };
    const manager = new CredentialManager(config);
    const scope = world.scope({ answer, owner });
    const credential = await manager.getAuthCredential({ credentialScope: scope });
    return { ...world, credential, manager, answered: scope };
  }

  it("is exchanged once, with the client's secret and the verifier, for tokens that are stored", async () => {
    const config = withClient({ redirectUri: "https://app.example/cb" });
    const { credential, sent, service, manager, answered, clock } = await signIn(config, { [FLOW.tokenUrl]: TOKENS });
    const stored = {
      authType: "oauth2",
      oauth2: { clientId: "cid", accessToken: "at", refreshToken: "rt", expiresAt: clock.now() / 1000 + 60 },
    };
    expect(credential).toEqual(stored);
    expect((await service.loadCredential(ADA, credentialKeyOf(config)))?.credential).toEqual(stored);
    expect(await service.loadCredential(ADA, "adk_answer_q")).toBeUndefined();
    expect(await manager.getAuthCredential({ credentialScope: answered })).toEqual(stored);
    expect(sent.map(({ url, authorization, form }) => [url, authorization, Object.fromEntries(form)])).toEqual([
      [
        FLOW.tokenUrl,
        `Basic ${Buffer.from("cid:secret").toString("base64")}`,
        {
          grant_type: "authorization_code",
          code: "c1",
          redirect_uri: "https://app.example/cb",
          code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        },
      ],
    ]);
  });

  it.each<[string, string | undefined, string | undefined, object, string | null]>([
    ["in the form", "client_secret_post", "secret", { client_id: "cid", client_secret: "secret" }, null],
    ["not at all", "none", "secret", { client_id: "cid" }, null],
    ["not at all without a secret", undefined, "", { client_id: "cid" }, null],
    ["as a signed statement", "client_secret_jwt", "secret", { client_assertion: expect.any(String) }, null],
  ])("authenticates the client %s", async (_title, tokenEndpointAuthMethod, clientSecret, form, authorization) => {
    const config = withClient({
      clientSecret: clientSecret ?? "",
      ...(tokenEndpointAuthMethod !== undefined && { tokenEndpointAuthMethod }),
    });
    const { sent } = await signIn(config, { [FLOW.tokenUrl]: TOKENS });
    expect([Object.fromEntries(sent[0]?.form ?? []), sent[0]?.authorization]).toEqual([
      expect.objectContaining(form),
      authorization,
    ]);
    const secret = sent[0]?.form.get("client_secret") ?? null;
    expect(secret).toBe(tokenEndpointAuthMethod === "client_secret_post" ? "secret" : null);
  });

  it("cannot be exchanged by a method that is not known", async () => {
    const config = withClient({ tokenEndpointAuthMethod: "private_key_jwt" });
    await expect(signIn(config, {})).rejects.toThrow("tokenEndpointAuthMethod is none of");
  });

  it("of another issuer's parameter is not checked without a known issuer", async () => {
    const { credential } = await signIn(
      withClient({}),
      { [FLOW.tokenUrl]: TOKENS },
      { query: "&iss=https://evil.example" },
    );
    expect(credential).toMatchObject({ oauth2: { accessToken: "at" } });
  });

  it("needs no id token if the scopes ask for none, also with a known issuer", async () => {
    const issuer = "https://auth.example";
    const scheme = { type: "oauth2", issuer_url: issuer, flows: { authorizationCode: { scopes: { read: "" } } } };
    const config = { ...withClient({}), authScheme: scheme } as AuthConfig;
    const metadata = { issuer, authorization_endpoint: FLOW.authorizationUrl, token_endpoint: FLOW.tokenUrl };
    const place = `${issuer}/.well-known/oauth-authorization-server`;
    const tokens = { access_token: "at", token_type: "Bearer" };
    const { credential } = await signIn(config, { [place]: metadata, [FLOW.tokenUrl]: tokens });
    expect(credential).toMatchObject({ oauth2: { accessToken: "at" } });
    // The issuer is known, so an answer that names another one is refused.
    const answers = { [place]: metadata, [FLOW.tokenUrl]: tokens };
    await expect(signIn(config, answers, { query: "&iss=https://evil.example" })).rejects.toMatchObject({
      reason: "CREDENTIAL_EXCHANGE_FAILED",
    });
  });

  it("is not exchanged if its state is another one's, or its user's secret is lost", async () => {
    const { credential, sent } = await signIn(withClient({}), { [FLOW.tokenUrl]: TOKENS }, { change: () => "other" });
    expect([credential, sent]).toEqual([undefined, []]);
    const other = await signIn(withClient({}), { [FLOW.tokenUrl]: TOKENS }, { owner: { ...ADA, userId: "eve" } });
    expect([other.credential, other.sent]).toEqual([undefined, []]);
  });

  it.each<[string, Answer, string, string, string]>([
    [
      "the code is refused",
      { error: "invalid_grant", error_description: "SECRET" },
      "",
      "CREDENTIAL_EXCHANGE_FAILED",
      "refused the request for a token: invalid_grant.",
    ],
    ["the error is not a code", { error: "SECRET text" }, "", "CREDENTIAL_EXCHANGE_FAILED", "unknown error"],
    ["the server is down", 503, "", "CREDENTIAL_EXCHANGE_FAILED", "the answer of auth.example is not valid"],
    [
      "the answer has no token",
      { token_type: "Bearer" },
      "",
      "CREDENTIAL_EXCHANGE_FAILED",
      "the answer of auth.example is not valid",
    ],
    [
      "the user has refused",
      TOKENS,
      "&error=access_denied",
      "CREDENTIAL_DENIED",
      "ended without consent: access_denied.",
    ],
  ])("fails the call if %s, and quotes no text of the server", async (_title, answer, query, reason, problem) => {
    const failing = signIn(withClient({}), { [FLOW.tokenUrl]: answer }, { query });
    await expect(failing).rejects.toMatchObject({ reason, message: expect.stringContaining(problem) });
    await expect(failing).rejects.not.toThrow("SECRET");
  });
});

describe("tokens of the client itself", () => {
  it.each([
    [{}, undefined, { grant_type: "client_credentials" }],
    [{ read: "", write: "" }, "api", { grant_type: "client_credentials", scope: "read write", audience: "api" }],
  ])(
    "are requested with the scopes %j and the audience %s, and again when they end",
    async (scopes, audience, form) => {
      const config: AuthConfig = {
        ...withClient(audience === undefined ? {} : { audience }),
        authScheme: { type: "oauth2", flows: { clientCredentials: { tokenUrl: FLOW.tokenUrl, scopes } } },
      };
      const { scope, sent, clock } = createWorld({
        [FLOW.tokenUrl]: { access_token: "at", token_type: "Bearer", expires_in: 60 },
      });
      const manager = new CredentialManager(config);
      const get = () => manager.getAuthCredential({ credentialScope: scope() });
      expect(await get()).toMatchObject({ oauth2: { accessToken: "at" } });
      clock.advance(29_999);
      await get();
      expect(sent.map((request) => Object.fromEntries(request.form))).toEqual([form]);
      clock.advance(1);
      await get();
      expect(sent).toHaveLength(2);
      // A refused one is replaced, and no user is asked.
      expect(await manager.replaceRefused({ credentialScope: scope() })).toMatchObject({
        oauth2: { accessToken: "at" },
      });
      expect(sent).toHaveLength(3);
      expect(manager.canAsk({ credentialScope: scope(), requestCredential: async () => undefined })).toBe(false);
    },
  );
});

describe("an author's own credential", () => {
  it.each<[AuthScheme, AuthCredential]>([
    [
      { type: "apiKey", in: "header", name: "x" },
      { authType: "apiKey", apiKey: "k" },
    ],
    [
      { type: "http", scheme: "bearer" },
      { authType: "http", http: { scheme: "bearer", credentials: { token: "t" } } },
    ],
    [
      { type: "http", scheme: "basic" },
      { authType: "http", http: { scheme: "basic", credentials: { username: "u", password: "p" } } },
    ],
    [OAUTH, { authType: "oauth2", oauth2: { accessToken: "t" } }],
  ])("for %j is used as it is, and neither replaced nor asked for", async (authScheme, rawAuthCredential) => {
    const { scope, sent } = createWorld();
    const manager = new CredentialManager({ authScheme, rawAuthCredential });
    const credentialScope = scope();
    expect(await manager.getAuthCredential({ credentialScope })).toBe(rawAuthCredential);
    expect(await manager.replaceRefused({ credentialScope })).toBeUndefined();
    expect(manager.canAsk({ credentialScope, requestCredential: async () => undefined })).toBe(false);
    expect(sent).toEqual([]);
  });

  it.each<[AuthScheme, AuthCredential | undefined]>([
    [{ type: "apiKey", in: "header", name: "x" }, undefined],
    [
      { type: "apiKey", in: "header", name: "x" },
      { authType: "apiKey", apiKey: "" },
    ],
    [
      { type: "http", scheme: "basic" },
      { authType: "http", http: { scheme: "basic", credentials: { username: "u" } } },
    ],
    [OAUTH, CLIENT],
  ])("for %j that is not complete (%j) is asked for, unless it was just given", async (authScheme, raw) => {
    const config = { authScheme, ...(raw !== undefined && { rawAuthCredential: raw }) };
    const { scope } = createWorld();
    const manager = new CredentialManager(config);
    const asks = (credentialScope: CredentialScope) =>
      manager.canAsk({ credentialScope, requestCredential: async () => undefined });
    expect(await manager.getAuthCredential({ credentialScope: scope() })).toBeUndefined();
    const answer = { questionId: "q", credentialKey: credentialKeyOf(config), state: undefined, issuer: undefined };
    expect([
      asks(scope()),
      asks(scope({ answer })),
      asks(scope({ answer: { ...answer, credentialKey: "other" } })),
    ]).toEqual([true, false, true]);
  });
});
