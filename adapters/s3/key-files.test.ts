import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { credentialsOfFiles } from "./key-files.ts";

const SETTINGS = ["S3_ACCESS_KEY_ID_FILE", "S3_SECRET_ACCESS_KEY_FILE"] as const;

it("reads the keys from both files, and new ones from changed files", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-keys-"));
  const accessKeyIdFile = join(folder.path, "id");
  const secretAccessKeyFile = join(folder.path, "secret");
  const clock = new FixedClock(0);
  const read = credentialsOfFiles({ accessKeyIdFile, secretAccessKeyFile, settings: SETTINGS }, clock);
  await expect(read?.()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  await writeFile(accessKeyIdFile, "id-1\n");
  await writeFile(secretAccessKeyFile, "secret-1\n");
  const expiration = expect.objectContaining({ toISOString: expect.any(Function) });
  expect(await read?.()).toEqual({ accessKeyId: "id-1", secretAccessKey: "secret-1", expiration });
  await writeFile(secretAccessKeyFile, "secret-2");
  expect(await read?.()).toMatchObject({ accessKeyId: "id-1", secretAccessKey: "secret-2" });
  await writeFile(secretAccessKeyFile, "");
  await expect(read?.()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
});

it("takes both files or none", () => {
  const of = (accessKeyIdFile: string, secretAccessKeyFile: string) => () =>
    credentialsOfFiles({ accessKeyIdFile, secretAccessKeyFile, settings: SETTINGS }, new FixedClock());
  expect(of("", "")()).toBeUndefined();
  for (const one of [of("id", ""), of("", "secret")])
    expect(one).toThrow("S3_ACCESS_KEY_ID_FILE and S3_SECRET_ACCESS_KEY_FILE belong together: set both or none.");
});
