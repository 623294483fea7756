import { describe, expect, it } from "vitest";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { guardCredentials } from "./guarded-credentials.ts";

const FOREIGN = { reason: "FOREIGN_OWNER" };
const ADA: Principal = { tenantId: "acme", userId: "ada", scopes: [] };

/** A credential of each of two apps, users and tenants. */
async function createCredentials() {
  const store = new InMemoryCredentialService();
  for (const tenantId of ["default", "acme"])
    for (const userId of ["ada", "bob"])
      for (const appName of ["a", "b"])
        await store.saveCredential({ tenantId, userId, appName }, "tool", { authType: "apiKey", apiKey: "k" });
  const guarded = guardCredentials(store);
  const listed = (principal: Principal, user: Parameters<typeof guarded.listCredentials>[0]) =>
    inCallScope({ principal }, async () => (await guarded.listCredentials(user)).map(({ appName }) => appName));
  return { store, guarded, listed };
}

describe("credentials of a request", () => {
  it("are those of the caller's user, in the caller's tenant", async () => {
    const { store, guarded, listed } = await createCredentials();
    expect(await listed(ADA, { userId: "ada" })).toEqual(["a", "b"]);
    await expect(listed(ADA, { userId: "bob" })).rejects.toMatchObject(FOREIGN);
    await inCallScope({ principal: ADA }, async () => {
      await expect(guarded.deleteCredential({ userId: "bob", appName: "a" }, "tool")).rejects.toMatchObject(FOREIGN);
      await guarded.deleteCredential({ userId: "ada", appName: "a" }, "tool");
    });
    const left = [];
    for (const tenantId of ["default", "acme"])
      for (const userId of ["ada", "bob"]) left.push((await store.listCredentials({ tenantId, userId })).length);
    expect(left).toEqual([2, 2, 1, 2]);
  });

  it("are those of the apps that the caller may use", async () => {
    const { guarded, listed } = await createCredentials();
    const ofB: Principal = { ...ADA, mayUse: (appName) => appName === "b" };
    expect(await listed(ofB, { userId: "ada" })).toEqual(["b"]);
    expect(await listed({ ...ofB, appName: "b" }, { userId: "ada" })).toEqual(["b"]);
    await expect(listed(ofB, { userId: "ada", appName: "a" })).rejects.toMatchObject(FOREIGN);
    const deleting = () => guarded.deleteCredential({ userId: "ada", appName: "a" }, "tool");
    await expect(inCallScope({ principal: ofB }, deleting)).rejects.toMatchObject(FOREIGN);
  });

  it("are those of every user for a caller with that scope, in its own tenant", async () => {
    const { listed } = await createCredentials();
    const admin: Principal = { tenantId: "acme", scopes: ["users:all"] };
    expect(await listed(admin, { userId: "bob" })).toEqual(["a", "b"]);
    expect(await listed({ ...admin, tenantId: "globex" }, { userId: "bob" })).toEqual([]);
  });

  it("are refused outside of a request", async () => {
    const { guarded } = await createCredentials();
    await expect(guarded.listCredentials({ userId: "ada" })).rejects.toMatchObject({ reason: "INTERNAL" });
  });
});
