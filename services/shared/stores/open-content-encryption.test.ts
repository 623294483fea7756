import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { openContentEncryption } from "./open-content-encryption.ts";

const PLACE = { tenantId: "acme", parts: ["event"] };

function keys(byte: number): string {
  return `tenants:\n  acme: [${Buffer.alloc(32, byte).toString("base64")}]\n`;
}

async function openWorld(text: string) {
  const folder = await mkdtempDisposable(join(tmpdir(), "fairlead-keys-"));
  const path = join(folder.path, "keys.yaml");
  await writeFile(path, text);
  const clock = new FixedClock();
  const open = (kind: "off" | "file" | "kms" = "file") =>
    openContentEncryption({
      config: {
        CONTENT_ENCRYPTION: kind,
        CONTENT_KEYS_FILE: path,
        CONTENT_KMS_KEY: "nothing",
        CONTENT_KEY_CACHE_SECONDS: 10,
      },
      clock,
      logger: silentLogger,
    });
  return { path, clock, open, [Symbol.asyncDispose]: () => folder.remove() };
}

it("encrypts with the keys of the file, and with those of a changed file", async () => {
  await using world = await openWorld(keys(1));
  const { path, clock, open } = world;
  const content = await open();
  if (content === undefined) throw new Error("Encryption is on.");
  const { sealer } = content;
  const store = content.withKeys({
    seal: async (text: string) => sealer.sealText(text, PLACE),
    open: async (text: string) => sealer.openText(text, PLACE),
  });
  const sealed = await store.seal("secret");
  expect(await store.open(sealed)).toBe("secret");
  await writeFile(path, keys(2));
  clock.advance(10_000);
  await expect(store.open(sealed)).rejects.toMatchObject({ reason: "CONTENT_KEY_UNAVAILABLE" });
});

it("is off without the setting", async () => {
  await using world = await openWorld(keys(1));
  expect(await world.open("off")).toBe(undefined);
});

it("refuses to start with a name of keys that tenants would share", async () => {
  await using world = await openWorld("");
  await expect(world.open("kms")).rejects.toMatchObject({
    reason: "CONFIGURATION",
    message: expect.stringContaining("CONTENT_KMS_KEY"),
  });
});

it.each(["tenants: {", "secret: [", "[]"])("refuses to start with the file %j", async (text) => {
  await using world = await openWorld(text);
  const error: unknown = await world.open().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: "CONFIGURATION", message: expect.stringContaining("CONTENT_KEYS_FILE") });
  expect(error).not.toHaveProperty("cause.message");
});
