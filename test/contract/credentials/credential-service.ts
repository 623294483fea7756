import { describe, expect, it } from "vitest";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialOwner, CredentialService } from "#kit/credentials/credential-service.ts";
import type { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { deletableDataOf } from "#ports/tenants/tenant-data-of.ts";
import { verifies } from "#test/helpers/verifies.ts";

export interface OpenedCredentials {
  readonly service: CredentialService & CredentialDirectory;
  readonly clock: FixedClock;
  readonly dispose: () => Promise<void>;
}

export interface CredentialServiceContract {
  /** Creates a separate store for each call, at `CONTRACT_TIME_MS`. */
  readonly create: () => Promise<OpenedCredentials>;
}

export const CONTRACT_TIME_MS = 1_700_000_000_000;
/** More than other tests keep of one user. */
export const MAX_PER_USER = 25;

export const ADA: CredentialOwner = { appName: "app", userId: "ada" };
export const token = (accessToken: string): AuthCredential => ({ authType: "oauth2", oauth2: { accessToken } });

const STRANGE_NAMES = [
  ...[
    "a/b",
    "..",
    ".",
    "_",
    "__proto__",
    "a b",
    "ä",
    "a\u0308",
    "日本語",
    "😀",
    "%2F",
    "a:b",
    '","',
    "A",
    "a",
    "x".repeat(256),
  ],
];

type ServiceTest = (opened: OpenedCredentials) => Promise<void>;

/** Gives each test a store of its own. */
function serviceFrom(create: CredentialServiceContract["create"]): (test: ServiceTest) => () => Promise<void> {
  return (test) => async () => {
    const opened = await create();
    try {
      await test(opened);
    } finally {
      await opened.dispose();
    }
  };
}

export function credentialServiceContract({ create }: CredentialServiceContract): void {
  const withService = serviceFrom(create);

  it(
    "returns each kind of credential as it was saved, and undefined for others",
    withService(async ({ service }) => {
      const kinds: readonly AuthCredential[] = [
        { authType: "apiKey", apiKey: "k\u0000\n😀" },
        { authType: "http", http: { scheme: "basic", credentials: { username: "ä", password: "" } } },
        { authType: "oauth2", oauth2: { accessToken: "a".repeat(20_000), refreshToken: "r", expiresAt: 1.5 } },
        { authType: "openIdConnect", resourceRef: "x", oauth2: { idToken: "i" } },
        { authType: "serviceAccount", serviceAccount: { scopes: ["a", "b"], useDefaultCredential: true } },
      ];
      for (const [index, kind] of kinds.entries()) {
        const version = await service.saveCredential(ADA, `key${index}`, kind);
        expect(await service.loadCredential(ADA, `key${index}`)).toEqual({ credential: kind, version });
      }
      expect(await service.loadCredential(ADA, "key")).toBeUndefined();
    }),
  );

  it(
    "keeps credentials of tenants, apps, users and keys apart, whatever their names",
    withService(async ({ service }) => {
      verifies("platform:credentials:separate");
      const owners = [
        ...STRANGE_NAMES.map((userId) => ({ appName: "app", userId })),
        ...STRANGE_NAMES.map((appName) => ({ appName, userId: "user" })),
        ...["acme", "globex"].map((tenantId) => ({ tenantId, appName: "app", userId: "a" })),
      ];
      const names = [
        ...owners.map((owner) => [owner, "key"] as const),
        ...STRANGE_NAMES.map((key) => [ADA, key] as const),
      ];
      await Promise.all(names.map(([owner, key], index) => service.saveCredential(owner, key, token(`t${index}`))));
      const loaded = await Promise.all(names.map(([owner, key]) => service.loadCredential(owner, key)));
      expect(loaded.map((each) => each?.credential)).toEqual(names.map((_, index) => token(`t${index}`)));
      const [[first, key] = [ADA, ""]] = names;
      await service.deleteCredential(first, key);
      const left = await Promise.all(names.map(([owner, each]) => service.loadCredential(owner, each)));
      expect(left.filter((each) => each === undefined)).toHaveLength(1);
    }),
  );

  it(
    "takes the tenant `default` for names without one",
    withService(async ({ service }) => {
      await service.saveCredential({ ...ADA, tenantId: "default" }, "key", token("t"));
      expect((await service.loadCredential(ADA, "key"))?.credential).toEqual(token("t"));
      expect(await service.listCredentials({ userId: "ada" })).toHaveLength(1);
    }),
  );

  it(
    "deletes all of a user or of a tenant in steps, and nothing of others",
    withService(async ({ service }) => {
      verifies("tenants:delete:credentials");
      const data = deletableDataOf(service);
      const owners = ["default", "acme", "acme2"].flatMap((tenantId) =>
        ["a/b", "ada", "ada2"].flatMap((userId) =>
          ["app", "App/2"].map((appName): Required<CredentialOwner> => ({ tenantId, appName, userId })),
        ),
      );
      for (const owner of owners)
        for (const key of ["one", "two"]) await service.saveCredential(owner, key, token("t"));
      const left = async (isLeft: (owner: Required<CredentialOwner>) => boolean) => {
        const loaded = await Promise.all(owners.map((owner) => service.loadCredential(owner, "two")));
        expect(loaded.map((each) => each !== undefined)).toEqual(owners.map(isLeft));
      };
      const deleteAll = async (owner: DataOwner) => {
        let deleted = 0;
        for (let isDone = false; !isDone; ) {
          const step = await data.deleteData({ ...owner, limit: 3 });
          deleted += step.deleted;
          ({ isDone } = step);
        }
        return deleted;
      };
      expect(await deleteAll({ tenantId: "acme", userId: "a/b" })).toBe(4);
      await left(({ tenantId, userId }) => !(tenantId === "acme" && userId === "a/b"));
      expect(await deleteAll({ tenantId: "acme", userId: "ada" })).toBe(4);
      expect(await deleteAll({ tenantId: "acme" })).toBe(4);
      await left(({ tenantId }) => tenantId !== "acme");
      expect(await deleteAll({ tenantId: "default" })).toBe(12);
      await left(({ tenantId }) => tenantId === "acme2");
      await expect(data.deleteData({ tenantId: "", limit: 1 })).rejects.toMatchObject({ reason: "INVALID_IDENTIFIER" });
    }),
  );

  describe("a version", () => {
    it(
      "is another one after each change, and after a deletion",
      withService(async ({ service }) => {
        const versions = new Set<number | undefined>([0, undefined]);
        for (let change = 0; change < 3; change += 1) {
          versions.add(await service.saveCredential(ADA, "key", token("same")));
          versions.add(await service.saveCredential(ADA, "key", token("same")));
          await service.deleteCredential(ADA, "key");
        }
        expect(versions.size).toBe(8);
      }),
    );

    it(
      "lets one of 20 concurrent refreshes win, and the others see its result",
      withService(async ({ service }) => {
        verifies("platform:credentials:separate");
        const expired = await service.saveCredential(ADA, "key", token("expired"), 0);
        const refresh = async (index: number) => {
          const version = await service.saveCredential(ADA, "key", token(`fresh ${index}`), expired);
          return { version, seen: await service.loadCredential(ADA, "key") };
        };
        const refreshes = await Promise.all(Array.from({ length: 20 }, (_, index) => refresh(index)));
        const winners = refreshes.flatMap(({ version }, index) => (version === undefined ? [] : [{ version, index }]));
        expect(winners).toHaveLength(1);
        const [{ version, index } = { version: 0, index: 0 }] = winners;
        const kept = { credential: token(`fresh ${index}`), version };
        expect(new Set(refreshes.map(({ seen }) => JSON.stringify(seen)))).toEqual(new Set([JSON.stringify(kept)]));
      }),
    );

    it(
      "of 0 lets one of 20 concurrent first savings win",
      withService(async ({ service }) => {
        const savings = Array.from({ length: 20 }, (_, index) =>
          service.saveCredential(ADA, "key", token(`${index}`), 0),
        );
        const versions = await Promise.all(savings);
        const winner = versions.findIndex((version) => version !== undefined);
        expect(versions.filter((version) => version !== undefined)).toHaveLength(1);
        expect((await service.loadCredential(ADA, "key"))?.credential).toEqual(token(`${winner}`));
      }),
    );

    it(
      "that is no longer kept changes and deletes nothing",
      withService(async ({ service }) => {
        const first = await service.saveCredential(ADA, "key", token("1"));
        const second = await service.saveCredential(ADA, "key", token("2"));
        expect(await service.saveCredential(ADA, "key", token("lost"), first)).toBeUndefined();
        expect(await service.saveCredential(ADA, "key", token("lost"), 0)).toBeUndefined();
        expect(await service.saveCredential(ADA, "none", token("lost"), first)).toBeUndefined();
        await service.deleteCredential(ADA, "key", first);
        expect(await service.loadCredential(ADA, "key")).toEqual({ credential: token("2"), version: second });
        await service.deleteCredential(ADA, "key", second);
        await service.deleteCredential(ADA, "key", second);
        await service.deleteCredential(ADA, "key");
        expect(await service.loadCredential(ADA, "key")).toBeUndefined();
      }),
    );
  });

  it(
    "lists a user's credentials in the order of app and key, with times and without values",
    withService(async ({ service, clock }) => {
      verifies("platform:credentials:listed");
      await service.saveCredential({ ...ADA, appName: "b" }, "key", { authType: "apiKey", apiKey: "secret" });
      await service.saveCredential(ADA, "z", token("secret"));
      clock.advance(1000);
      await service.saveCredential(ADA, "z", { authType: "http" });
      await service.saveCredential(ADA, "ä", token("secret"));
      for (const other of [{ userId: "bob" }, { tenantId: "acme" }])
        await service.saveCredential({ ...ADA, ...other }, "foreign", token("secret"));
      const [early, late] = [CONTRACT_TIME_MS, CONTRACT_TIME_MS + 1000];
      const ofApp = [
        { appName: "app", credentialKey: "z", authType: "http", createdTime: early, updatedTime: late },
        { appName: "app", credentialKey: "ä", authType: "oauth2", createdTime: late, updatedTime: late },
      ];
      const ofB = { appName: "b", credentialKey: "key", authType: "apiKey", createdTime: early, updatedTime: early };
      expect(await service.listCredentials({ userId: "ada" })).toEqual([...ofApp, ofB]);
      expect(await service.listCredentials({ userId: "ada", appName: "app" })).toEqual(ofApp);
      expect(await service.listCredentials({ userId: "ada", appName: "c" })).toEqual([]);
    }),
  );

  it(
    "keeps what the kit adds for sign-ins in progress, and does not list it",
    withService(async ({ service }) => {
      const longest = "k".repeat(256);
      const own = ["adk_consent", `adk_answer_${longest}`, `adk_refresh_${longest}`];
      for (const key of [...own, longest, "adk_oauth2_0123456789abcdef"]) {
        await service.saveCredential(ADA, key, token(key));
        expect((await service.loadCredential(ADA, key))?.credential).toEqual(token(key));
      }
      const listed = await service.listCredentials(ADA);
      expect(listed.map(({ credentialKey }) => credentialKey)).toEqual(["adk_oauth2_0123456789abcdef", longest]);
    }),
  );

  it(
    "refuses names that are not identifiers, and names the field",
    withService(async ({ service }) => {
      const bad: readonly (readonly [CredentialOwner, string, string])[] = [
        [{ ...ADA, appName: "" }, "key", "appName"],
        [{ ...ADA, userId: "a\nb" }, "key", "userId"],
        [{ ...ADA, tenantId: "A" }, "key", "tenantId"],
        [ADA, "", "credentialKey"],
        [ADA, "\ud800", "credentialKey"],
        [ADA, "k".repeat(257), "credentialKey"],
        [ADA, "adk_answer_", "credentialKey"],
      ];
      for (const [owner, key, field] of bad) {
        const refused = { reason: "INVALID_IDENTIFIER", details: { field } };
        await expect(service.loadCredential(owner, key)).rejects.toMatchObject(refused);
        await expect(service.saveCredential(owner, key, token("t"))).rejects.toMatchObject(refused);
        await expect(service.deleteCredential(owner, key)).rejects.toMatchObject(refused);
        if (field !== "credentialKey") await expect(service.listCredentials(owner)).rejects.toMatchObject(refused);
      }
    }),
  );

  it(
    "refuses a credential of over 64 KiB, without showing it",
    withService(async ({ service }) => {
      const saving = service.saveCredential(ADA, "key", token("secret".repeat(11_000)));
      await expect(saving).rejects.toMatchObject({ reason: "INVALID_FIELD", details: { field: "credential" } });
      await expect(saving).rejects.toThrow(/^((?!secret).)*$/s);
      expect(await service.loadCredential(ADA, "key")).toBeUndefined();
    }),
  );
}

/** For stores with the limit `MAX_PER_USER`; their own takes too long to reach. */
export function credentialLimitContract({ create }: CredentialServiceContract): void {
  const withService = serviceFrom(create);

  it(
    "keeps so many credentials of a user, and refuses a further one until one is deleted",
    withService(async ({ service }) => {
      verifies("platform:credentials:limit");
      const save = (key: string, owner = ADA) => service.saveCredential(owner, key, token("t"));
      // What the kit keeps for sign-ins has a limit of its own.
      await save("adk_consent");
      for (let count = 1; count < MAX_PER_USER; count += 1) await save(`key${count}`);
      await save("last", { ...ADA, appName: "other" });
      const refused = { reason: "TOO_MANY_CREDENTIALS", details: { limit: String(MAX_PER_USER) } };
      await expect(save("further")).rejects.toMatchObject(refused);
      await expect(save("further", { ...ADA, appName: "third" })).rejects.toMatchObject(refused);
      expect(await service.loadCredential(ADA, "further")).toBeUndefined();
      expect(await service.listCredentials({ userId: "ada" })).toHaveLength(MAX_PER_USER);
      await save("adk_answer_1");
      await save("key1");
      for (const other of [{ userId: "bob" }, { tenantId: "acme" }]) await save("key", { ...ADA, ...other });
      await service.deleteCredential(ADA, "key2");
      await save("further");
    }),
  );

  it(
    "keeps twice as many answers and refreshes of a user, which leave room for credentials",
    withService(async ({ service }) => {
      verifies("platform:credentials:limit");
      const save = (key: string) => service.saveCredential(ADA, key, token("t"));
      await save("adk_consent");
      for (let count = 1; count < MAX_PER_USER; count += 1) await save(`adk_answer_${count}`);
      for (let count = 1; count <= MAX_PER_USER; count += 1) await save(`adk_refresh_${count}`);
      const limit = String(MAX_PER_USER * 2);
      const refused = { reason: "TOO_MANY_CREDENTIALS", details: { limit } };
      await expect(save("adk_answer_further")).rejects.toMatchObject(refused);
      await expect(save("adk_refresh_further")).rejects.toMatchObject(refused);
      expect(await service.loadCredential(ADA, "adk_answer_further")).toBeUndefined();
      await save("adk_answer_1");
      for (let count = 1; count <= MAX_PER_USER; count += 1) await save(`key${count}`);
      await expect(save("key")).rejects.toMatchObject({ details: { limit: String(MAX_PER_USER) } });
      await service.deleteCredential(ADA, "adk_answer_1");
      await save("adk_answer_further");
    }),
  );
}
