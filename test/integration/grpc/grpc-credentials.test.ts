import { describe, expect, it } from "vitest";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { KEY, started } from "#test/contract/sessions/session-world.ts";
import { startRunner } from "#test/helpers/security/granted-runner.ts";
import { verifies } from "#test/helpers/verifies.ts";

const FOREIGN = { reason: "FOREIGN_OWNER" };
const INVALID = { reason: "PRINCIPAL_INVALID" };

describe("credentials of users for tools", () => {
  const token: AuthCredential = { authType: "oauth2", oauth2: { accessToken: "t" } };

  it("are read and written by a run of their user and app", async () => {
    verifies("platform:credentials:runs");
    await using world = await startRunner();
    const { runner } = world;
    await inCallScope(world.startOf(KEY), async () => {
      await runner.credentials.saveCredential(KEY, "answer", token);
      await expect(runner.credentials.loadCredential(KEY, "answer")).rejects.toMatchObject(INVALID);
      await started(runner.journal, "mine");
      const version = await runner.credentials.saveCredential(KEY, "tool", token, 0);
      expect(await runner.credentials.loadCredential(KEY, "tool")).toEqual({ credential: token, version });
      await runner.credentials.deleteCredential(KEY, "tool", version);
      expect(await runner.credentials.loadCredential(KEY, "tool")).toBeUndefined();
    });
  });

  it.each([{ userId: "other" }, { appName: "other" }, { tenantId: "acme" }])(
    "are out of reach for a run of another owner than %o",
    async (other) => {
      verifies("platform:credentials:runs");
      await using world = await startRunner();
      const { runner, stores } = world;
      const foreign = { ...KEY, ...other };
      await stores.credentials.saveCredential(foreign, "tool", token);
      await inCallScope(world.startOf(KEY), async () => {
        await expect(runner.credentials.saveCredential(foreign, "tool", token)).rejects.toMatchObject(FOREIGN);
        await started(runner.journal, "mine");
        await expect(runner.credentials.loadCredential(foreign, "tool")).rejects.toMatchObject(FOREIGN);
        await expect(runner.credentials.saveCredential(foreign, "tool", token)).rejects.toMatchObject(FOREIGN);
        await expect(runner.credentials.deleteCredential(foreign, "tool")).rejects.toMatchObject(FOREIGN);
      });
      expect((await stores.credentials.loadCredential(foreign, "tool"))?.credential).toEqual(token);
    },
  );

  it("are listed and deleted by gateways, which never get one, and not listed by runners", async () => {
    verifies("platform:credentials:runs");
    await using world = await startRunner();
    const { runner, gateway } = world;
    await inCallScope(world.startOf(KEY), async () => {
      await started(runner.journal, "mine");
      await runner.credentials.saveCredential(KEY, "tool", token);
      await expect(runner.credentials.listCredentials(KEY)).rejects.toMatchObject({ reason: "CALLER_NOT_ALLOWED" });
    });
    const principal = { tenantId: "default", userId: KEY.userId, scopes: [] };
    await inCallScope({ principal }, async () => {
      const refused = { reason: "CALLER_NOT_ALLOWED" };
      await expect(gateway.credentials.loadCredential(KEY, "tool")).rejects.toMatchObject(refused);
      await expect(gateway.credentials.saveCredential(KEY, "tool", token)).rejects.toMatchObject(refused);
      expect((await gateway.credentials.listCredentials(KEY)).map(({ credentialKey }) => credentialKey)).toEqual([
        "tool",
      ]);
      await gateway.credentials.deleteCredential(KEY, "tool");
      expect(await gateway.credentials.listCredentials({ userId: KEY.userId })).toEqual([]);
    });
  });
});
