import { afterAll, describe, expect, it } from "vitest";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";

const SESSION = { appName: "app", userId: "user", id: "session" };
const NOW_MS = 1_767_225_600_000;

const found = await findGcsEmulator();

if ("missing" in found) {
  describe.skip(`GcsArtifactService on a bucket of another ADK server (${found.missing})`);
} else {
  const emulator = await GcsEmulator.start(found.program);
  afterAll(() => emulator.stop());

  const createWorld = async (objects: Readonly<Record<string, Partial<Parameters<GcsEmulator["seed"]>[2]>>> = {}) => {
    const bucketName = await emulator.createBucket();
    for (const [name, object] of Object.entries(objects))
      await emulator.seed(bucketName, name, { body: name, contentType: "text/csv", ...object });
    const service = createGcsArtifactService({
      bucketName,
      apiEndpoint: emulator.url,
      layout: "adk",
      clock: new FixedClock(NOW_MS),
      ids: new SequentialIds("save"),
    });
    return { bucketName, service };
  };
  const key = (filename: string, session = SESSION) => ({ session, filename });
  const csv = (body: string) => ({
    inlineData: { mimeType: "text/csv", data: Buffer.from(body).toString("base64") },
  });

  describe("GcsArtifactService on a bucket of another ADK server", () => {
    it("reads what the other server wrote, in each form", async () => {
      const { service } = await createWorld({
        "app/user/session/table/1": {},
        "app/user/session/text/0": { body: "héllo", contentType: "text/plain", metadata: { adkIsText: "true" } },
        "app/user/session/named/0": { body: "hi", metadata: { adkDisplayName: "é.csv", source: "tool" } },
        "app/user/session/file/0": {
          body: "",
          contentType: "application/octet-stream",
          metadata: { adkFileUri: "gs://b/o", adkFileMimeType: "video/mp4" },
        },
      });
      expect(await service.loadArtifact(key("table"))).toEqual(csv("app/user/session/table/1"));
      expect(await service.loadArtifact(key("text"))).toEqual({ text: "héllo" });
      expect(await service.loadArtifact(key("named"), 0)).toEqual({
        inlineData: { mimeType: "text/csv", data: "aGk=", displayName: "é.csv" },
      });
      expect(await service.loadArtifact(key("file"))).toEqual({
        fileData: { fileUri: "gs://b/o", mimeType: "video/mp4" },
      });
      expect(await service.listArtifactVersions(key("named"))).toEqual([
        {
          version: 0,
          canonicalUri: "artifact://app/user/s/session/named/0",
          customMetadata: { source: "tool" },
          createTime: expect.any(Number),
          mimeType: "text/csv",
        },
      ]);
    });

    it("finds a user's files with and without the prefix in their objects' names", async () => {
      const { service } = await createWorld({ "app/user/user/user:kept/0": {}, "app/user/user/stripped/3": {} });
      expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["user:kept", "user:stripped"] });
      expect(await service.loadArtifact(key("user:kept"))).toEqual(csv("app/user/user/user:kept/0"));
      expect(await service.loadArtifact(key("user:stripped"))).toEqual(csv("app/user/user/stripped/3"));
      expect(await service.loadArtifact(key("user:stripped"), 3)).toEqual(csv("app/user/user/stripped/3"));
      expect((await service.saveArtifact({ ...key("user:stripped"), artifact: { text: "x" } })).version).toBe(4);
      expect(await service.listVersions(key("user:stripped"))).toEqual({ versions: [3, 4] });
      await service.deleteArtifact(key("user:stripped"));
      expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["user:kept"] });
    });

    it("distinguishes names from names below them", async () => {
      const { service } = await createWorld({
        "app/user/session/a/0": {},
        "app/user/session/a/b.csv/0": {},
        "app/user/session/a/b.csv/1": {},
        "app/user/session/a/7up/0": {},
        "app/user/session/a/readme": {},
        "app/user/session/_inline/e/0/0": {},
        "app/user/session2/other/0": {},
      });
      expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["a", "a/7up", "a/b.csv"] });
      expect(await service.listVersions(key("a"))).toEqual({ versions: [0] });
      expect(await service.listVersions(key("a/b.csv"))).toEqual({ versions: [0, 1] });
    });

    it("continues the numbers, in a form that the other server reads", async () => {
      const { bucketName, service } = await createWorld({ "app/user/session/a b/4": {} });
      const saved = await service.saveArtifact({ ...key("a b"), artifact: { text: "new" } });
      expect(saved.version).toBe(5);
      expect((await emulator.objects(bucketName)).at(-1)).toMatchObject({
        name: "app/user/session/a b/5",
        contentType: "text/plain; charset=utf-8",
        metadata: { adkIsText: "true" },
      });
      await service.deleteSessionArtifacts(SESSION);
      expect(await emulator.objects(bucketName)).toEqual([]);
    });

    it("keeps the files of tenants below a name of their own", async () => {
      const { bucketName, service } = await createWorld({ "app/user/session/a/0": {} });
      const acme = { tenantId: "acme", ...SESSION };
      expect(await service.loadArtifact(key("a", acme))).toBeUndefined();
      for (const filename of ["a", "user:b"])
        await service.saveArtifact({ ...key(filename, acme), artifact: { text: "of acme" } });
      expect((await emulator.objects(bucketName)).map(({ name }) => name)).toEqual([
        "_tenants/acme/app/user/session/a/0",
        "_tenants/acme/app/user/user/user:b/0",
        "app/user/session/a/0",
      ]);
      await service.deleteSessionArtifacts(SESSION);
      expect(await service.listArtifactKeys(acme)).toEqual({ filenames: ["a", "user:b"] });
    });

    it("refuses ids that would reach into other files", async () => {
      const { service } = await createWorld();
      for (const [field, session] of [
        ["sessionId", { ...SESSION, id: "user" }],
        ["sessionId", { ...SESSION, id: "a/b" }],
        ["userId", { ...SESSION, userId: "a/b" }],
        ["appName", { ...SESSION, appName: ".." }],
        ["appName", { ...SESSION, appName: "_tenants" }],
        ["appName", { ...SESSION, appName: "_tenants/acme" }],
      ] as const) {
        const refused = { reason: "INVALID_IDENTIFIER", details: { field } };
        await expect(service.loadArtifact(key("a", session))).rejects.toMatchObject(refused);
        await expect(service.listArtifactKeys(session)).rejects.toMatchObject(refused);
        await expect(service.deleteSessionArtifacts(session)).rejects.toMatchObject(refused);
      }
    });
  });
}
