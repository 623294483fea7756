import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { artifactOldDataContract } from "./artifact-old-data.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";
import { artifactWalkContract } from "./artifact-walk.ts";

describe.each([
  { title: "FileArtifactService" },
  { title: "FileArtifactService that encrypts", encryption: createTenantKeys().start() },
])("$title", ({ encryption }) => {
  const contract: ArtifactServiceContract = {
    create: async () => {
      verifies("operations:session:embedded");
      const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
      const clock = new FixedClock(CONTRACT_TIME_MS);
      const service = new FileArtifactService({ root, clock, sealer: encryption?.sealer });
      return {
        service: encryption?.withKeys(service) ?? service,
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  };
  artifactServiceContract(contract);
  artifactWalkContract(contract);
  artifactOldDataContract(contract);
  artifactTenantsContract(contract);
  meteredStoreContract({
    ...ARTIFACTS,
    create: async (storage) => {
      const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
      const open = () => {
        const clock = new FixedClock(CONTRACT_TIME_MS);
        const service = new FileArtifactService({ root, clock, storage, sealer: encryption?.sealer });
        return encryption?.withKeys(service) ?? service;
      };
      return {
        store: open(),
        reopen: async () => open(),
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  });

  it("counts what the folder has after saves and deletions at the same time", async () => {
    const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
    const storage = completeStorageLimits({ user: { artifactBytes: 1_000_000 } }, ["artifactBytes"]);
    const open = () => {
      const clock = new FixedClock(CONTRACT_TIME_MS);
      const service = new FileArtifactService({ root, clock, storage, sealer: encryption?.sealer });
      return encryption?.withKeys(service) ?? service;
    };
    const service = open();
    const session = { appName: "app", userId: "ada", id: "s" };
    const save = (filename: string) => service.saveArtifact({ session, filename, artifact: { text: "x".repeat(500) } });
    const stored = (of = service) => of.readStored([{ scope: "user", name: "ada" }]);
    for (let round = 0; round < 10; round += 1) {
      const names = Array.from({ length: 8 }, (_, index) => `${index % 2 === 0 ? "user:" : ""}f${index % 4}`);
      const work = names.flatMap((name) => [save(name), service.deleteArtifact({ session, filename: name })]);
      await Promise.all([...work, service.deleteSessionArtifacts(session), ...names.map(save)]);
    }
    expect((await stored())[0]?.items).toBeGreaterThan(0);
    expect(await stored()).toEqual(await stored(open()));
    await service.deleteSessionArtifacts(session);
    for (const name of ["user:f0", "user:f2"]) await service.deleteArtifact({ session, filename: name });
    expect(await stored()).toEqual([{ items: 0, bytes: 0 }]);
    await rm(root, { recursive: true, force: true });
  });

  it("counts nothing of a save that fails", async () => {
    const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const storage = completeStorageLimits({ user: { artifactBytes: 1_000_000 } }, ["artifactBytes"]);
    const service = new FileArtifactService({ root, clock: new FixedClock(), storage, sealer: encryption?.sealer });
    const stored = () => service.readStored([{ scope: "user", name: "ada" }]);
    const save = () =>
      service.saveArtifact({
        session: { appName: "app", userId: "ada", id: "s" },
        filename: "f",
        artifact: { text: "x".repeat(500) },
      });
    expect(await stored()).toEqual([{ items: 0, bytes: 0 }]);
    // The app's folder cannot be created.
    await writeFile(join(root, "app"), "");
    await expect(save()).rejects.toThrow();
    expect(await stored()).toEqual([{ items: 0, bytes: 0 }]);
    await rm(join(root, "app"));
    await save();
    expect((await stored())[0]?.items).toBe(1);
  });
});
