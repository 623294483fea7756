import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CredentialKeys } from "#kit/credentials/credential-keys.ts";
import { credentialKeysReader } from "#kit/credentials/read-credential-keys.ts";
import { newContentId, newDataKey } from "#kit/encryption/random-bytes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

const NAME = "credential-keys.yaml";

/**
 * The keys in the file `credential-keys.yaml` of a data folder, which is created with a new key if it is missing and which
 * its owner alone can read. The caller has locked the folder. Throws `CONFIGURATION` for a file with no valid keys, without
 * any key in the text, and `DATA_DIR_UNWRITABLE`.
 */
export async function openCredentialKeyFile(folder: string): Promise<CredentialKeys> {
  const read = await credentialKeysReader((problem) => {
    return new PlatformError("CONFIGURATION", `The file ${NAME} in the data folder ${problem}.`);
  });
  const path = join(folder, NAME);
  if (!existsSync(path)) createFile(path);
  return read(readFileSync(path, "utf8"));
}

function createFile(path: string): void {
  // A name of its own, so that a credential that another key has sealed is refused for its missing key.
  const name = `local-${newContentId()}`;
  const key = newDataKey().toString("base64");
  const text = [
    "# The keys of users' credentials for tools. Without them the credentials cannot be read.",
    `current: ${name}`,
    "keys:",
    `  ${name}: ${key}`,
    "",
  ].join("\n");
  try {
    // Renamed when it is complete: half a file would be no key, and the next start would find it.
    const descriptor = openSync(`${path}.new`, "w", 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(`${path}.new`, path);
  } catch (error) {
    const message = `The file ${NAME} cannot be created in the data folder. Check its permissions and the free space.`;
    throw new PlatformError("DATA_DIR_UNWRITABLE", message, { cause: error });
  }
}
