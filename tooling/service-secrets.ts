import { generateKeyPairSync, hash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "#shared/security/call-graph.ts";
import { type KeySetting, keySettingsOf } from "#shared/security/security-settings.ts";

/** Readable by their owner only. */
const FILE = { mode: 0o600 };
const FOLDER = { recursive: true, mode: 0o700 };

/** Settings by which a service authenticates itself and its callers, and knows for whom calls are made. */
export type SecretSettings = (service: ServiceName) => Readonly<Record<string, string>>;

/**
 * Creates a token for each service that calls others, the keys of the gateways and those of the session service, as
 * files in the folder.
 */
export function writeServiceSecrets(folder: string): SecretSettings {
  const accepted = join(folder, "accepted");
  mkdirSync(accepted, FOLDER);
  for (const name of SERVICE_NAMES) {
    const token = randomSecret();
    writeFileSync(join(folder, `${name}.token`), `${token}\n`, FILE);
    // Services that check the token need only its digest.
    writeFileSync(join(accepted, name), `sha256:${hash("sha256", token)}\n`, FILE);
  }
  const principals = writeKeys(folder, "principals");
  const grants = writeKeys(folder, "grants");
  const keys: Readonly<Record<KeySetting, string>> = {
    PRINCIPAL_PRIVATE_KEY_FILE: principals.privateKeyFile,
    PRINCIPAL_PUBLIC_KEYS_FILE: principals.publicKeyFile,
    GRANT_PRIVATE_KEY_FILE: grants.privateKeyFile,
    GRANT_PUBLIC_KEYS_FILE: grants.publicKeyFile,
  };
  return (name) => ({
    SERVICE_TOKEN_FILE: join(folder, `${name}.token`),
    SERVICE_TOKENS_DIR: accepted,
    ...Object.fromEntries(keySettingsOf(name).map((setting) => [setting, keys[setting]])),
  });
}

/** Writes a new key of users' credentials, unless the folder has one. Returns the path of the file. */
export function writeCredentialKeys(folder: string): string {
  const file = join(folder, "credential-keys.yaml");
  mkdirSync(folder, FOLDER);
  if (!existsSync(file)) writeFileSync(file, `current: first\nkeys:\n  first: ${randomSecret()}\n`, FILE);
  return file;
}

/** Writes a new key pair as `NAME.key` and `NAME.pub`. */
export function writeKeys(folder: string, name: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const privateKeyFile = join(folder, `${name}.key`);
  const publicKeyFile = join(folder, `${name}.pub`);
  writeFileSync(privateKeyFile, privateKey.export({ type: "pkcs8", format: "pem" }), FILE);
  writeFileSync(publicKeyFile, publicKey.export({ type: "spki", format: "pem" }), FILE);
  return { privateKeyFile, publicKeyFile };
}

function randomSecret(): string {
  return randomBytes(32).toString("base64");
}
