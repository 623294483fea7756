import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAzureArtifacts } from "fairlead/stores";
import { afterAll, describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { artifactConfigSchema } from "#services/artifact/config.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { Azurite, findAzurite } from "#tooling/emulators/azurite.ts";

const KEY = { session: { appName: "app", userId: "ada", id: "first" }, filename: "notes" };

const found = await findAzurite();

if ("missing" in found) {
  describe.skip(`the settings of Azure (${found.missing})`);
} else {
  const server = await Azurite.start(found.program);
  afterAll(() => server.stop());
  const sources = { clock: new FixedClock(), ids: new SequentialIds(), logger: silentLogger };

  it.each([
    ["standalone server", standaloneConfigSchema],
    ["artifact service", artifactConfigSchema],
  ] as const)("the settings of Azure open the artifacts of the %s, with the key in a file", async (_what, schema) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-key-"));
    const AZURE_ACCOUNT_KEY_FILE = join(folder.path, "key");
    const AZURE_CONTAINER_URL = await server.createContainer();
    const given = { ARTIFACT_STORE: "azure", AZURE_CONTAINER_URL, AZURE_ACCOUNT_KEY_FILE };
    const config = loadConfig(schema, given);
    await using stack = new AsyncDisposableStack();
    const { store, probe } = await openArtifactStore(createStoreContext({ config, stack, ...sources }));
    await expect(probe?.()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    await writeFile(AZURE_ACCOUNT_KEY_FILE, `${server.accountKey}\n`);
    await probe?.();
    await store.saveArtifact({ ...KEY, artifact: { text: "a" } });
    expect(await store.loadArtifact(KEY)).toEqual({ text: "a" });
    const blob = server.container(AZURE_CONTAINER_URL).getBlobClient("app/ada/s/first/notes/0");
    expect(await blob.exists()).toBe(true);
  });

  it("the settings of Azure are refused without a container, and with a signature", () => {
    expect(() => loadConfig(artifactConfigSchema, { ARTIFACT_STORE: "azure" })).toThrow("AZURE_CONTAINER_URL");
    const AZURE_CONTAINER_URL = "https://a.blob.core.windows.net/files?sig=x";
    expect(() => loadConfig(artifactConfigSchema, { AZURE_CONTAINER_URL })).toThrow("AZURE_CONTAINER_URL");
  });

  it("openAzureArtifacts opens a container for a program, and refuses wrong options", async () => {
    const containerUrl = await server.createContainer();
    const { artifactService } = await openAzureArtifacts({ containerUrl, accountKey: server.accountKey });
    await artifactService.saveArtifact({ ...KEY, artifact: { text: "a" } });
    expect(await artifactService.loadArtifact(KEY)).toEqual({ text: "a" });
    await expect(openAzureArtifacts({ containerUrl: "files" })).rejects.toMatchObject({ reason: "INVALID_FIELD" });
  });
}
