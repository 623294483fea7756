import { describe, expect, it } from "vitest";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { InMemoryCredentialService } from "./in-memory-credential-service.ts";

const ADA = { appName: "app", userId: "ada" };
const token = (accessToken: string): AuthCredential => ({ authType: "oauth2", oauth2: { accessToken } });

describe("credentials in memory", () => {
  it("belong to one user of one app of one tenant", async () => {
    verifies("platform:credentials:separate");
    const service = new InMemoryCredentialService();
    await service.saveCredential(ADA, "key", token("ada's"));
    const others = [
      { ...ADA, userId: "bob" },
      { ...ADA, appName: "other" },
      { ...ADA, tenantId: "acme" },
      { appName: 'app","ada', userId: "key" },
    ];
    for (const owner of others) expect(await service.loadCredential(owner, "key")).toBeUndefined();
    expect(await service.loadCredential(ADA, "other")).toBeUndefined();
    const own = await service.loadCredential({ ...ADA, tenantId: "default" }, "key");
    expect(own?.credential).toEqual(token("ada's"));
  });

  it("keep the first of several changes of one version", async () => {
    verifies("platform:credentials:separate");
    const service = new InMemoryCredentialService();
    const first = await service.saveCredential(ADA, "key", token("1"), 0);
    expect(await service.saveCredential(ADA, "key", token("lost"), 0)).toBeUndefined();
    const changes = ["2", "3"].map((text) => service.saveCredential(ADA, "key", token(text), first));
    const versions = await Promise.all(changes);
    expect(versions.map((version) => version !== undefined)).toEqual([true, false]);
    expect(await service.loadCredential(ADA, "key")).toEqual({ credential: token("2"), version: versions[0] });
  });

  it("are deleted, also by version, and have no earlier version when they are saved again", async () => {
    const service = new InMemoryCredentialService();
    const first = await service.saveCredential(ADA, "key", token("1"));
    const second = await service.saveCredential(ADA, "key", token("2"));
    await service.deleteCredential(ADA, "key", first);
    expect(await service.loadCredential(ADA, "key")).toEqual({ credential: token("2"), version: second });
    await service.deleteCredential(ADA, "key", second);
    await service.deleteCredential(ADA, "key");
    expect(await service.loadCredential(ADA, "key")).toBeUndefined();
    const third = await service.saveCredential(ADA, "key", token("3"));
    expect([first, second, 0]).not.toContain(third);
  });

  it("are deleted for one user or a whole tenant, as many at a time as are asked for, and no others", async () => {
    const service = new InMemoryCredentialService();
    const owners = [ADA, { ...ADA, appName: "other" }, { ...ADA, userId: "bob" }, { ...ADA, tenantId: "acme" }];
    for (const owner of owners) for (const key of ["a", "b"]) await service.saveCredential(owner, key, token("x"));
    const left = async () => {
      const found = await Promise.all(owners.map((owner) => service.listCredentials(owner)));
      return found.map((list) => list.length);
    };
    const ofAda = { tenantId: "default", userId: "ada", limit: 3 };
    expect(await service.deleteData(ofAda)).toEqual({ deleted: 3, isDone: false });
    expect(await service.deleteData(ofAda)).toEqual({ deleted: 1, isDone: true });
    expect(await left()).toEqual([0, 0, 2, 2]);
    expect(await service.deleteData({ tenantId: "default", limit: 2 })).toEqual({ deleted: 2, isDone: true });
    expect(await left()).toEqual([0, 0, 0, 2]);
  });
});
