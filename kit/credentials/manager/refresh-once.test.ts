import { beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import { credentialKeyOf } from "../credential-key.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { CredentialManager } from "./credential-manager.ts";

const ADA = { tenantId: "acme", appName: "app", userId: "ada" };
const CONFIG: AuthConfig = {
  authScheme: {
    type: "oauth2",
    flows: {
      authorizationCode: { authorizationUrl: "https://a.example/go", tokenUrl: "https://a.example/token", scopes: {} },
    },
  },
  rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "secret" } },
};
const KEY = credentialKeyOf(CONFIG);
const FRESH = { access_token: "fresh", token_type: "Bearer", expires_in: 3600 };

type Answer = () => Response | Promise<Response>;
const fresh: Answer = () => Response.json(FRESH);
const oauthError =
  (error: string): Answer =>
  () =>
    Response.json({ error }, { status: 400 });

/** A user whose token ends in these seconds, and an authorization server that gives these answers in their order. */
async function createWorld(seconds: number, answers: readonly Answer[] = [fresh]) {
  const clock = new FixedClock();
  const service = new InMemoryCredentialService();
  const forms: URLSearchParams[] = [];
  const outbound: CredentialScope["outbound"] = {
    fetch: async (_url, init) => {
      forms.push(new URLSearchParams(String(init?.body)));
      return (answers[forms.length - 1] ?? fresh)();
    },
  };
  const expiresAt = clock.now() / 1000 + seconds;
  const credential: AuthCredential = {
    authType: "oauth2",
    oauth2: { accessToken: "old", refreshToken: "r", expiresAt },
  };
  await service.saveCredential(ADA, KEY, credential);
  /** Gets the credential in a run of its own, which ends soon if it waits for another run. */
  const get = async (owner = ADA, signal = AbortSignal.timeout(2000)): Promise<string | undefined> => {
    const found = await new CredentialManager(CONFIG).getAuthCredential({
      credentialScope: {
        ...{ owner, service, outbound, clock, logger: silentLogger, answer: undefined },
        signal,
        known: { stored: new Map(), answers: new Map() },
      },
    });
    return found !== undefined && "oauth2" in found ? found.oauth2?.accessToken : undefined;
  };
  const stored = async () => (await service.loadCredential(ADA, KEY))?.credential;
  return { clock, service, forms, get, stored };
}

describe("an access token", () => {
  // The library of OAuth is loaded by the first refresh.
  beforeAll(() => import("openid-client"));

  it.each([
    [31, "old"],
    [30, "fresh"],
    [0, "fresh"],
    [-60, "fresh"],
  ])("that ends in %i seconds: the call gets the %s one", async (seconds, token) => {
    const { get } = await createWorld(seconds);
    expect(await get()).toBe(token);
  });

  it("is refreshed with the same refresh token again by a server that sends no new one, and else with the new one", async () => {
    const rotated: Answer = () => Response.json({ ...FRESH, refresh_token: "r2" });
    const { clock, forms, get, stored } = await createWorld(0, [fresh, rotated]);
    for (let refresh = 0; refresh < 3; refresh += 1) {
      expect(await get()).toBe("fresh");
      clock.advance(3_600_000);
    }
    expect(forms.map((form) => form.get("refresh_token"))).toEqual(["r", "r", "r2"]);
    expect(await stored()).toMatchObject({ oauth2: { refreshToken: "r2" } });
  });

  it.each<[string, Answer, string]>([
    ["a lost connection", () => Promise.reject(new TypeError("fetch failed")), "CREDENTIAL_EXCHANGE_FAILED"],
    ["a server that is down", () => new Response("down", { status: 503 }), "CREDENTIAL_EXCHANGE_FAILED"],
    ["a refusal of the client", oauthError("invalid_client"), "CREDENTIAL_EXCHANGE_FAILED"],
    ["an answer that is not JSON", () => new Response("<p>"), "CREDENTIAL_EXCHANGE_FAILED"],
  ])("that cannot be refreshed because of %s is refreshed by the next run at once", async (_title, answer, reason) => {
    const { get, forms } = await createWorld(0, [answer]);
    await expect(get()).rejects.toMatchObject({ reason });
    expect(await get()).toBe("fresh");
    expect(forms).toHaveLength(2);
  });

  it("whose refreshed form cannot be stored is refreshed by the next run at once", async () => {
    const { service, get } = await createWorld(0);
    const save = service.saveCredential.bind(service);
    let isDown = true;
    service.saveCredential = async (owner, key, ...rest) => {
      if (key === KEY && isDown) throw new Error("store down");
      return save(owner, key, ...rest);
    };
    await expect(get()).rejects.toThrow("store down");
    isDown = false;
    expect(await get()).toBe("fresh");
  });

  it("is used if only the end of its refresh could not be stored", async () => {
    const { service, get } = await createWorld(0);
    service.deleteCredential = () => Promise.reject(new Error("store down"));
    expect(await get()).toBe("fresh");
  });

  it("is refreshed by another run a minute after a run began to refresh it and was lost", async () => {
    const { clock, forms, get } = await createWorld(0, [() => new Promise(() => undefined)]);
    const lost = get();
    lost.catch(() => undefined);
    await expect.poll(() => forms.length).toBe(1);
    clock.advance(60_000);
    expect(await get()).toBe("fresh");
  });

  it("is not waited for by a run that is cancelled", { timeout: 10_000 }, async () => {
    const { forms, get } = await createWorld(0, [() => new Promise(() => undefined)]);
    get().catch(() => undefined);
    await expect.poll(() => forms.length).toBe(1);
    const run = new AbortController();
    const waiting = get(ADA, run.signal);
    run.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
    expect(forms).toHaveLength(1);
  });

  it("that another run has refreshed before this one began leaves the next refresh free", async () => {
    const short: Answer = () => Response.json({ ...FRESH, expires_in: 40 });
    const { service, clock, forms, get } = await createWorld(0, [short, short]);
    const load = service.loadCredential.bind(service);
    let reads = 0;
    service.loadCredential = async (owner, key) => {
      const found = await load(owner, key);
      reads += key === KEY ? 1 : 0;
      // Another run stores its token between the first read of this one and its claim.
      if (key === KEY && reads === 1) await get();
      return found;
    };
    expect(await get()).toBe("fresh");
    expect(forms).toHaveLength(1);
    clock.advance(10_000);
    expect([await get(), forms.length]).toEqual(["fresh", 2]);
  });

  it("whose refresh token is not valid any more is forgotten, and the next sign-in is used", async () => {
    const { get, stored, service } = await createWorld(0, [oauthError("invalid_grant")]);
    expect(await get()).toBeUndefined();
    expect(await stored()).toBeUndefined();
    await service.saveCredential(ADA, KEY, { authType: "oauth2", oauth2: { accessToken: "new", refreshToken: "r" } });
    expect(await get()).toBe("new");
  });

  it("is not stored over the sign-in that the user made meanwhile", async () => {
    const signedIn: AuthCredential = { authType: "oauth2", oauth2: { accessToken: "signed in" } };
    const world = await createWorld(0, [
      async () => {
        await world.service.saveCredential(ADA, KEY, signedIn);
        return Response.json(FRESH);
      },
    ]);
    expect(await world.get()).toBe("signed in");
    expect(await world.stored()).toEqual(signedIn);
  });

  it("without a refresh token is forgotten when it has ended", async () => {
    const { service, clock, get, stored, forms } = await createWorld(0);
    const expiresAt = clock.now() / 1000;
    await service.saveCredential(ADA, KEY, { authType: "oauth2", oauth2: { accessToken: "old", expiresAt } });
    expect([await get(), await stored(), forms.length]).toEqual([undefined, undefined, 0]);
  });

  it.each([{ tenantId: "globex" }, { appName: "other" }, { userId: "eve" }])(
    "is none of an owner with %j",
    async (other) => {
      const { get, stored, forms } = await createWorld(0);
      expect(await get({ ...ADA, ...other })).toBeUndefined();
      expect([forms.length, await stored()]).toEqual([0, expect.objectContaining({ authType: "oauth2" })]);
    },
  );
});
