import { mkdtempDisposable, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { openCredentialKeyFile } from "./credential-key-file.ts";

const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), "credential-keys-"));

it("is created once, for its owner alone, and has another key if it is created again", async () => {
  verifies("platform:credentials:own-key");
  await using folder = await temporaryFolder();
  const path = join(folder.path, "credential-keys.yaml");
  const created = await openCredentialKeyFile(folder.path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(created.keys.get(created.current)?.length).toBe(32);
  expect(await openCredentialKeyFile(folder.path)).toEqual(created);
  await rm(path);
  const again = await openCredentialKeyFile(folder.path);
  expect(again.current).not.toBe(created.current);
  expect(again.keys.get(again.current)).not.toEqual(created.keys.get(created.current));
});

it("replaces what a start that was killed has left, and is not replaced itself", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "credential-keys.yaml.new"), "current: lo");
  const { current } = await openCredentialKeyFile(folder.path);
  await writeFile(join(folder.path, "credential-keys.yaml.new"), "current: lo");
  expect((await openCredentialKeyFile(folder.path)).current).toBe(current);
});

it("with a damaged key is refused, and left as it is", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "credential-keys.yaml");
  await writeFile(path, "current: a\nkeys:\n  a: c2VjcmV0\n");
  const opening = openCredentialKeyFile(folder.path);
  await expect(opening).rejects.toMatchObject({ reason: "CONFIGURATION" });
  await expect(opening).rejects.toThrow("The file credential-keys.yaml in the data folder needs 32 bytes as key a.");
  expect(await readFile(path, "utf8")).toContain("c2VjcmV0");
});

it("cannot be created in a folder that is missing", async () => {
  await using folder = await temporaryFolder();
  const opening = openCredentialKeyFile(join(folder.path, "none"));
  await expect(opening).rejects.toMatchObject({ reason: "DATA_DIR_UNWRITABLE" });
});
