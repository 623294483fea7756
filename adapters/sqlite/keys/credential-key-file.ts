import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { codeOf } from "#kit/platform/file-errors.ts";
import { newContentId } from "#kit/platform/random-text.ts";
import type { CredentialKeys } from "#ports/credentials/credential-keys.ts";
import { credentialKeysOf, credentialKeysReader } from "#ports/credentials/read-credential-keys.ts";
import { newDataKey } from "#ports/encryption/random-bytes.ts";

const NAME = "credential-keys.yaml";

/**
 * The keys in the file `credential-keys.yaml` of a data folder, which is created with a new key if it is missing and
 * which only its owner can read. Of several processes that create it, all get the keys of one. Throws `CONFIGURATION` for a file with no valid
 * keys, without any key in the text, and `DATA_DIR_UNWRITABLE`.
 */
export async function openCredentialKeyFile(folder: string): Promise<CredentialKeys> {
  const refuse = (problem: string): PlatformError =>
    new PlatformError("CONFIGURATION", `The file ${NAME} in the data folder ${problem}.`);
  const path = join(folder, NAME);
  if (!existsSync(path)) createFile(path);
  const text = readFileSync(path, "utf8");
  const value = asJson(text);
  if (value !== undefined) return credentialKeysOf(value, refuse);
  return (await credentialKeysReader(refuse))(text);
}

/**
 * The content of a file as it is created: JSON is YAML too, and a process that reads JSON does not load the YAML
 * library.
 */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first file that gets the name keeps it. */
function nameOnce(written: string, path: string): void {
  try {
    linkSync(written, path);
  } catch (error) {
    // On a disk without links the last file keeps the name.
    if (codeOf(error) !== "EEXIST") renameSync(written, path);
  } finally {
    rmSync(written, { force: true });
  }
}

function createFile(path: string): void {
  // Each file's key has a unique name, so that a credential sealed with the key of another file is refused because its
  // key is missing.
  const name = `local-${newContentId()}`;
  const key = newDataKey().toString("base64");
  const about = "The keys of users' credentials for tools. Without them the credentials cannot be read.";
  const text = `${JSON.stringify({ about, current: name, keys: { [name]: key } }, undefined, 2)}\n`;
  try {
    // The file gets its name when it is complete: the next start would find an incomplete file, which has no valid key.
    const written = `${path}.${name}.new`;
    const descriptor = openSync(written, "wx", 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    nameOnce(written, path);
  } catch (error) {
    const message = `The file ${NAME} cannot be created in the data folder. Check its permissions and the free space.`;
    throw new PlatformError("DATA_DIR_UNWRITABLE", message, { cause: error });
  }
}
