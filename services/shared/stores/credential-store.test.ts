import { mkdtempDisposable, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { Type } from "#kit/schema/shape.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { loadConfig } from "../config/load-config.ts";
import { contentConfigSchema, credentialKeysConfigSchema } from "./content-settings.ts";
import { credentialStoreConfigSchema, openCredentialStore } from "./credential-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema, postgresConfigSchema } from "./storage-settings.ts";
import { createStoreContext } from "./store-context.ts";

const SCHEMA = Type.Object({
  ...credentialStoreConfigSchema.properties,
  ...credentialKeysConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...contentConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...postgresConfigSchema.properties,
});

const ADA = { appName: "app", userId: "ada" };
const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64");

/** A session service's settings and data folder. */
async function createWorld() {
  const folder = await mkdtempDisposable(join(tmpdir(), "fairlead-credentials-"));
  const clock = new FixedClock();
  const keysFile = join(folder.path, "keys.yaml");
  const open = async (settings: Readonly<Record<string, string>> = {}) => {
    const environment = { DATA_DIR: join(folder.path, "data"), ...settings };
    const stack = new AsyncDisposableStack();
    const config = loadConfig(SCHEMA, environment);
    const parts = { config, clock, ids: new SequentialIds(), logger: silentLogger, stack };
    try {
      const { store } = await openCredentialStore(createStoreContext(parts));
      return { store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  };
  return { clock, keysFile, open, folder: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
}

it("creates the key of its credentials without settings, and reads them again", async () => {
  verifies("platform:credentials:own-key");
  await using world = await createWorld();
  {
    await using opened = await world.open();
    await opened.store.saveCredential(ADA, "tool", { authType: "apiKey", apiKey: "k" });
    expect(await readdir(join(world.folder, "data"))).toEqual(
      expect.arrayContaining(["credential-keys.yaml", "credentials.sqlite", "lock"]),
    );
  }
  await using again = await world.open();
  expect((await again.store.loadCredential(ADA, "tool"))?.credential).toEqual({ authType: "apiKey", apiKey: "k" });
});

it("seals with the keys of the file, and with those of a changed file, and creates none beside it", async () => {
  verifies("platform:credentials:rotation");
  await using world = await createWorld();
  const { keysFile, clock } = world;
  await writeFile(keysFile, `current: a\nkeys: {a: ${key(1)}}\n`);
  await using opened = await world.open({ CREDENTIAL_KEYS_FILE: keysFile });
  await opened.store.saveCredential(ADA, "before", { authType: "apiKey", apiKey: "k" });
  await writeFile(keysFile, `current: b\nkeys: {b: ${key(2)}}\n`);
  clock.advance(1000);
  await opened.store.saveCredential(ADA, "after", { authType: "apiKey", apiKey: "k" });
  expect((await opened.store.loadCredential(ADA, "after"))?.credential).toEqual({ authType: "apiKey", apiKey: "k" });
  await expect(opened.store.loadCredential(ADA, "before")).rejects.toMatchObject({
    reason: "CREDENTIAL_KEY_UNAVAILABLE",
    details: { keyName: "a" },
  });
  expect(await readdir(join(world.folder, "data"))).not.toContain("credential-keys.yaml");
});

it("does not start with Firestore without a file of keys, nor with a wrong file, and names no key", async () => {
  await using world = await createWorld();
  const firestore = { CREDENTIAL_STORE: "firestore", FIRESTORE_PROJECT_ID: "p" };
  await expect(world.open(firestore)).rejects.toMatchObject({
    problems: [expect.stringContaining("CREDENTIAL_KEYS_FILE is not set, and CREDENTIAL_STORE=firestore needs it.")],
  });
  const { keysFile } = world;
  for (const store of [{}, firestore]) {
    const open = () => world.open({ ...store, CREDENTIAL_KEYS_FILE: keysFile });
    await writeFile(keysFile, `current: a\nkeys: {a: ${key(1).slice(4)}}\n`);
    await expect(open()).rejects.toThrow("CREDENTIAL_KEYS_FILE: the file needs 32 bytes as key a.");
    await writeFile(keysFile, `current: b\nkeys: {a: ${key(1)}}\n`);
    await expect(open()).rejects.toThrow(
      "CREDENTIAL_KEYS_FILE: the file needs a `current` that names one of its `keys`",
    );
    const missing = world.open({ ...store, CREDENTIAL_KEYS_FILE: `${keysFile}.missing` });
    await expect(missing).rejects.toThrow("The file of CREDENTIAL_KEYS_FILE cannot be read.");
  }
});
