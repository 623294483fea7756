import { describe, expect, it } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ArtifactServiceContract } from "./artifact-service.ts";

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };
const ACME: SessionKey = { tenantId: "acme", ...SESSION };

/** Stores of artifacts keep two tenants with the same app, user, session and file names apart. */
export function artifactTenantsContract({ create }: ArtifactServiceContract): void {
  const withService = (test: (service: ArtifactService) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  describe("files of two tenants with the same names", () => {
    it(
      "have their own versions, lists and deletions, for sessions and for users",
      withService(async (service) => {
        for (const filename of ["a.txt", "user:b.txt"]) {
          const ofDefault = { session: SESSION, filename };
          const ofAcme = { session: ACME, filename };
          await service.saveArtifact({ ...ofDefault, artifact: { text: "of default" } });
          expect(await service.loadArtifact(ofAcme)).toBeUndefined();
          expect(await service.getArtifactVersion(ofAcme)).toBeUndefined();
          expect(await service.listVersions(ofAcme)).toEqual({ versions: [] });
          expect((await service.saveArtifact({ ...ofAcme, artifact: { text: "of acme" } })).version).toBe(0);
          expect(await service.loadArtifact(ofAcme)).toEqual({ text: "of acme" });
          expect(await service.loadArtifact({ ...ofDefault, session: { ...SESSION, tenantId: "default" } })).toEqual({
            text: "of default",
          });
          expect(await service.listArtifactVersions(ofAcme)).toHaveLength(1);
        }
        expect(await service.listArtifactKeys({ ...SESSION, tenantId: "globex" })).toEqual({ filenames: [] });
        await service.deleteArtifact({ session: ACME, filename: "user:b.txt" });
        expect(await service.listArtifactKeys(ACME)).toEqual({ filenames: ["a.txt"] });
        await service.deleteSessionArtifacts(ACME);
        expect(await service.listArtifactKeys(ACME)).toEqual({ filenames: [] });
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["a.txt", "user:b.txt"] });
      }),
    );

    it(
      "are not files of apps and users that are named like a tenant's place",
      withService(async (service) => {
        await service.saveArtifact({ session: ACME, filename: "a.txt", artifact: { text: "of acme" } });
        for (const appName of ["tenants", "acme", "_tenants", ".tenants", "tenants/acme"]) {
          for (const userId of ["acme", "app", "user"]) {
            for (const id of ["app", "user", "session"]) {
              expect(await service.listArtifactKeys({ appName, userId, id })).toEqual({ filenames: [] });
            }
          }
        }
      }),
    );

    it(
      "refuse an invalid tenant",
      withService(async (service) => {
        for (const tenantId of ["", "..", "../x", "a/b", "A", "a".repeat(64)]) {
          const session = { ...SESSION, tenantId };
          const refused = { reason: "INVALID_IDENTIFIER", details: { field: "tenantId" } };
          await expect(service.listArtifactKeys(session)).rejects.toMatchObject(refused);
          await expect(service.loadArtifact({ session, filename: "a.txt" })).rejects.toMatchObject(refused);
          const save = { session, filename: "a.txt", artifact: { text: "" } };
          await expect(service.saveArtifact(save)).rejects.toMatchObject(refused);
        }
      }),
    );
  });
}
