import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openS3Artifacts } from "fairlead/stores";
import { afterAll, describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { artifactConfigSchema } from "#services/artifact/config.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { findS3Server, S3Server } from "#tooling/emulators/s3-server.ts";

const KEY = { session: { appName: "app", userId: "ada", id: "first" }, filename: "notes" };

const found = await findS3Server();

if ("missing" in found) {
  describe.skip(`the settings of S3 (${found.missing})`);
} else {
  const server = await S3Server.start(found.program);
  afterAll(() => server.stop());
  const sources = { clock: new FixedClock(), ids: new SequentialIds(), logger: silentLogger };

  describe("the settings of S3", () => {
    it.each([
      ["standalone server", standaloneConfigSchema],
      ["artifact service", artifactConfigSchema],
    ] as const)("open the artifacts of the %s, with keys in files", async (_what, schema) => {
      await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-keys-"));
      const S3_ACCESS_KEY_ID_FILE = join(folder.path, "id");
      const S3_SECRET_ACCESS_KEY_FILE = join(folder.path, "secret");
      const S3_BUCKET = await server.createBucket();
      const config = loadConfig(schema, {
        ...{ ARTIFACT_STORE: "s3", S3_BUCKET, S3_ENDPOINT: server.url, S3_PATH_STYLE: "true" },
        ...{ S3_ACCESS_KEY_ID_FILE, S3_SECRET_ACCESS_KEY_FILE },
      });
      await using stack = new AsyncDisposableStack();
      const { store, probe } = await openArtifactStore(createStoreContext({ config, stack, ...sources }));
      await expect(probe?.()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
      await writeFile(S3_ACCESS_KEY_ID_FILE, "test\n");
      await writeFile(S3_SECRET_ACCESS_KEY_FILE, "test\n");
      await probe?.();
      await store.saveArtifact({ ...KEY, artifact: { text: "a" } });
      expect(await store.loadArtifact(KEY)).toEqual({ text: "a" });
      expect(await server.names(S3_BUCKET)).toContain("app/ada/s/first/notes/0");
    });

    it("are refused without a bucket, and with one of the two files", async () => {
      expect(() => loadConfig(artifactConfigSchema, { ARTIFACT_STORE: "s3" })).toThrow("S3_BUCKET");
      const config = loadConfig(artifactConfigSchema, {
        ...{ ARTIFACT_STORE: "s3", S3_BUCKET: "files", S3_ACCESS_KEY_ID_FILE: "/dev/null" },
      });
      await using stack = new AsyncDisposableStack();
      await expect(openArtifactStore(createStoreContext({ config, stack, ...sources }))).rejects.toMatchObject({
        reason: "CONFIGURATION",
      });
    });
  });

  it("openS3Artifacts opens a bucket for a program, and refuses wrong options", async () => {
    const { credentials, url: endpoint } = server;
    const bucket = await server.createBucket();
    await using files = await openS3Artifacts({ bucket, endpoint, credentials, pathStyle: true });
    await files.artifactService.saveArtifact({ ...KEY, artifact: { text: "a" } });
    expect(await files.artifactService.loadArtifact(KEY)).toEqual({ text: "a" });
    await expect(openS3Artifacts({ bucket, endpoint: "minio:9000" })).rejects.toMatchObject({
      reason: "INVALID_FIELD",
    });
  });
}
