import { afterAll, describe, expect, it } from "vitest";
import { createAzureArtifactService } from "#adapters/azure/create-azure-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { Azurite, findAzurite } from "#tooling/emulators/azurite.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { artifactOldDataContract } from "./artifact-old-data.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";
import { artifactWalkContract } from "./artifact-walk.ts";

const SESSION = { appName: "app", userId: "ada", id: "s" };

const found = await findAzurite();

if ("missing" in found) {
  describe.skip(`BucketArtifactService on Azure (${found.missing})`);
} else {
  const server = await Azurite.start(found.program);
  afterAll(() => server.stop());
  const accountKey = { text: server.accountKey };

  describe.each([
    { title: "BucketArtifactService on Azure" },
    { title: "BucketArtifactService on Azure that encrypts", encryption: createTenantKeys().start() },
  ])("$title", ({ encryption }) => {
    const open = (containerUrl: string, ids: string, storage?: StorageLimits, pageSize?: number) => {
      const service = createAzureArtifactService({
        ...{ containerUrl, accountKey, storage, pageSize },
        clock: new FixedClock(CONTRACT_TIME_MS),
        ids: new SequentialIds(ids),
        sealer: encryption?.sealer,
      });
      return encryption?.withKeys(service) ?? service;
    };
    const contract: ArtifactServiceContract = {
      create: async () => ({ service: open(await server.createContainer(), "save"), dispose: async () => {} }),
    };
    artifactServiceContract(contract);
    artifactWalkContract(contract);
    artifactOldDataContract(contract);
    artifactTenantsContract(contract);
    meteredStoreContract({
      ...ARTIFACTS,
      create: async (storage) => {
        const container = await server.createContainer();
        let processes = 0;
        const openNext = () => open(container, `process ${(processes += 1)} save`, storage);
        return { store: openNext(), reopen: async () => openNext(), dispose: async () => {} };
      },
    });

    it("stores exactly as many as a limit allows of two processes together", async () => {
      const container = await server.createContainer();
      const storage = completeStorageLimits({ user: { artifactVersions: 10 } }, ["artifactVersions"]);
      const processes = ["one", "two"].map((name) => open(container, name, storage));
      const saves = Array.from({ length: 50 }, (_, index) =>
        processes[index % 2]?.saveArtifact({ session: SESSION, filename: `f${index}`, artifact: { text: "x" } }),
      );
      const results = await Promise.allSettled(saves);
      expect(results.filter(({ status }) => status === "fulfilled").length).toBe(10);
    });

    it("gives each of many saves of one name a number of its own", async () => {
      const container = await server.createContainer();
      const processes = ["one", "two"].map((name) => open(container, name));
      const saves = Array.from({ length: 20 }, (_, index) =>
        processes[index % 2]?.saveArtifact({ session: SESSION, filename: "f", artifact: { text: String(index) } }),
      );
      const versions = await Promise.all(saves);
      const numbers = versions.map((saved) => saved?.version ?? -1);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    });

    it("lists more than a page", async () => {
      const store = open(await server.createContainer(), "save", undefined, 3);
      for (let index = 0; index < 10; index += 1)
        await store.saveArtifact({ session: SESSION, filename: `f${index}`, artifact: { text: "x" } });
      expect((await store.listArtifactKeys(SESSION)).filenames.length).toBe(10);
    });
  });

  it("keeps metadata of any characters, and refuses more than the service takes", async () => {
    const container = await server.createContainer();
    const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds("save") };
    const store = createAzureArtifactService({ containerUrl: container, accountKey, ...sources });
    const displayName = " two  spaces, 100 % ünïcode \u{1f600} ";
    const artifact = { inlineData: { mimeType: "image/png", displayName, data: "AAAA" } };
    await store.saveArtifact({ session: SESSION, filename: "f", artifact, customMetadata: { "Any Key_x": "%0041 é" } });
    const key = { session: SESSION, filename: "f" };
    expect(await store.loadArtifact(key)).toEqual(artifact);
    expect(await store.getArtifactVersion(key)).toMatchObject({ customMetadata: { "Any Key_x": "%0041 é" } });
    await expect(
      store.saveArtifact({ session: SESSION, filename: "g", artifact, customMetadata: { text: "é".repeat(1600) } }),
    ).rejects.toMatchObject({ reason: "INVALID_FIELD" });
  });

  it("reads files that other programs have stored", async () => {
    const url = await server.createContainer();
    const blob = server.container(url).getBlockBlobClient("app/ada/s/s/notes/0");
    await blob.upload("abc", 3, { blobHTTPHeaders: { blobContentType: "text/csv" } });
    const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds("save") };
    const store = createAzureArtifactService({ containerUrl: url, accountKey, ...sources });
    expect(await store.loadArtifact({ session: SESSION, filename: "notes" })).toEqual({
      inlineData: { mimeType: "text/csv", data: Buffer.from("abc").toString("base64") },
    });
  });
}
