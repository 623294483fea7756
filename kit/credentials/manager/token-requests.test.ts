import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import type { AuthConfig } from "../auth-config.ts";
import { credentialKeyOf } from "../credential-key.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { CredentialManager } from "./credential-manager.ts";

const OWNER = { appName: "app", userId: "ada" };
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

const CLIENT: AuthConfig = {
  authScheme: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://auth.example/token", scopes: {} } } },
  rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "secret" } },
};
const ROBOT: AuthConfig = {
  authScheme: { type: "http", scheme: "bearer" },
  rawAuthCredential: {
    authType: "serviceAccount",
    serviceAccount: {
      serviceAccountCredential: {
        ...{ type: "service_account", client_email: "robot@p.example" },
        private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      },
    },
  },
};

type Fetch = CredentialScope["outbound"]["fetch"];

function createScope(fetch: Fetch, signal = new AbortController().signal) {
  const service = new InMemoryCredentialService();
  const scope = (): CredentialScope => ({
    ...{ owner: OWNER, service, outbound: { fetch }, clock: new FixedClock(), logger: silentLogger, signal },
    answer: undefined,
    known: { stored: new Map(), answers: new Map() },
  });
  return { service, scope };
}

/** Answers each request with a token of its own. */
function countingServer() {
  let tokens = 0;
  const fetch: Fetch = async () => {
    tokens += 1;
    return Response.json({ access_token: `token ${tokens}`, token_type: "Bearer", expires_in: 3600 });
  };
  return { fetch };
}

describe.each([
  ["a client", CLIENT],
  ["a service account", ROBOT],
])("the request of %s for a token", (_title, config) => {
  // The library of OAuth is loaded by the first request.
  beforeAll(() => import("openid-client"));

  it("ends with the run", { timeout: 10_000 }, async () => {
    const run = new AbortController();
    const begun = Promise.withResolvers<void>();
    const { scope } = createScope((_url, init) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("cancelled")));
      });
    }, run.signal);
    const getting = new CredentialManager(config).getAuthCredential({ credentialScope: scope() });
    await begun.promise;
    run.abort();
    await expect(getting).rejects.toThrow();
  });

  it("is sent to no other address, which would get the secret", async () => {
    const asked: string[] = [];
    // As `fetch` does: a redirect is followed with the body, unless the caller wants to see it.
    const follow: Fetch = async (url, init) => {
      asked.push(new URL(url).host);
      if (asked.length > 1) return Response.json({ access_token: "t", token_type: "Bearer" });
      if (init?.redirect !== "manual") return follow("https://other.example/token", init);
      return new Response(null, { status: 307, headers: { location: "https://other.example/token" } });
    };
    const { scope } = createScope(follow);
    const getting = new CredentialManager(config).getAuthCredential({ credentialScope: scope() });
    await expect(getting).rejects.toMatchObject({ reason: "CREDENTIAL_EXCHANGE_FAILED" });
    expect(asked).toHaveLength(1);
  });

  it("is sent again for a token that a server has refused", async () => {
    const { scope } = createScope(countingServer().fetch);
    const manager = new CredentialManager(config);
    const get = async () => JSON.stringify(await manager.getAuthCredential({ credentialScope: scope() }));
    expect([await get(), await get()]).toEqual([
      expect.stringContaining("token 1"),
      expect.stringContaining("token 1"),
    ]);
    expect(JSON.stringify(await manager.replaceRefused({ credentialScope: scope() }))).toContain("token 2");
    expect(await get()).toContain("token 2");
  });
});

it("tokens of a client that another run has stored meanwhile are kept", async () => {
  const key = credentialKeyOf(CLIENT);
  const first = { authType: "oauth2", oauth2: { accessToken: "of the other run" } } as const;
  const { fetch } = countingServer();
  const world = createScope(async (...request) => {
    await world.service.saveCredential(OWNER, key, first);
    return fetch(...request);
  });
  await new CredentialManager(CLIENT).getAuthCredential({ credentialScope: world.scope() });
  expect((await world.service.loadCredential(OWNER, key))?.credential).toEqual(first);
});
