import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import type { McpSignInOptions } from "./sign-in-options.ts";
import { SignInProvider } from "./sign-in-provider.ts";

const ISSUER = { issuer: "https://issuer.example" };
const REDIRECT = "http://localhost/dev-ui/";
const ADA = { appName: "app", userId: "ada" };

function createWorld(options: Partial<McpSignInOptions> = {}) {
  const service = new InMemoryCredentialService();
  const clock = new FixedClock();
  const open = (owner = ADA, callback?: { state: string; redirectUri: string; issuer: string | undefined }) =>
    new SignInProvider(
      { redirectUri: REDIRECT, ...options },
      { owner, service, clock, known: { stored: new Map(), answers: new Map() } },
      { key: "server", ...(callback !== undefined && { callback }) },
    );
  return { open, clock };
}

it.each([{}, { client_secret: "secret" }])("keeps a registered client for its issuer and user: %j", async (secret) => {
  const { open } = createWorld();
  expect(await open().clientInformation(ISSUER)).toBeUndefined();
  await open().saveClientInformation({ client_id: "cid", ...secret }, ISSUER);
  expect(await open().clientInformation(ISSUER)).toEqual({ client_id: "cid", ...secret, ...ISSUER });
  expect(await open().clientInformation({ issuer: "https://other.example" })).toBeUndefined();
  expect(await open({ ...ADA, userId: "eve" }).clientInformation(ISSUER)).toBeUndefined();
  const provider = open();
  await provider.clientInformation(ISSUER);
  await provider.invalidateCredentials("client");
  expect(await open().clientInformation(ISSUER)).toBeUndefined();
});

it("uses the author's client if there is one, and describes one to register otherwise", async () => {
  const own = createWorld({ clientId: "mine", clientSecret: "my-secret", scopes: ["a", "b"] }).open();
  expect(await own.clientInformation(ISSUER)).toEqual({ client_id: "mine", client_secret: "my-secret", ...ISSUER });
  const metadata = {
    ...{ client_name: "Fairlead", redirect_uris: [REDIRECT] },
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  };
  expect(own.clientMetadata).toEqual({ ...metadata, token_endpoint_auth_method: "client_secret_basic", scope: "a b" });
  expect(createWorld().open().clientMetadata).toEqual({ ...metadata, token_endpoint_auth_method: "none" });
});

it("keeps the tokens of a user with all that they have, until they are not valid any more", async () => {
  const { open, clock } = createWorld();
  const tokens = {
    access_token: "a",
    token_type: "bearer",
    refresh_token: "r",
    id_token: "i",
    scope: "s",
    expires_in: 60,
  };
  expect(await open().isSignedIn()).toBe(false);
  await open().saveTokens({ ...tokens, ...ISSUER });
  clock.advance(10_000);
  expect(await open().tokens()).toMatchObject({ access_token: "a", refresh_token: "r", scope: "s", expires_in: 50 });
  expect([await open().isSignedIn(), await open({ ...ADA, userId: "eve" }).isSignedIn()]).toEqual([true, false]);
  await open().invalidateCredentials("tokens");
  expect(await open().isSignedIn()).toBe(false);
});

it("sends the user to a page that the same sign-in completes", async () => {
  const { open } = createWorld();
  const provider = open();
  await provider.clientInformation(ISSUER);
  await provider.redirectToAuthorization(new URL("https://issuer.example/authorize?state=st&scope=a"));
  expect(provider.page).toMatchObject({ state: "st", ...ISSUER });
  expect(Object.fromEntries(provider.page?.url.searchParams ?? [])).toEqual({
    ...{ state: "st", scope: "a", code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: "S256" },
  });
  const callback = { state: "st", redirectUri: "http://localhost/other/", ...ISSUER };
  const ended = open(ADA, callback);
  expect(await ended.codeVerifier()).toMatch(/^[\w-]{43}$/);
  expect([ended.redirectUrl, ended.discoveryState()]).toEqual([
    "http://localhost/other/",
    { authorizationServerUrl: ISSUER.issuer },
  ]);
  await expect(open({ ...ADA, userId: "eve" }, callback).codeVerifier()).rejects.toMatchObject({
    reason: "CREDENTIAL_EXCHANGE_FAILED",
  });
});
