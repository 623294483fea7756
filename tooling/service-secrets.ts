import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "#shared/security/call-graph.ts";

/** Readable by their owner only. */
const FILE = { mode: 0o600 };
const FOLDER = { recursive: true, mode: 0o700 };

/** Settings by which a service authenticates itself and its callers, and signs the principals of its calls. */
export type SecretSettings = (service: ServiceName) => Readonly<Record<string, string>>;

/** Creates a token for each service that calls others, and the key that signs principals, as files in the folder. */
export function writeServiceSecrets(folder: string): SecretSettings {
  const accepted = join(folder, "accepted");
  mkdirSync(accepted, FOLDER);
  const principalKey = join(folder, "principal.key");
  writeFileSync(principalKey, `${randomSecret()}\n`, FILE);
  for (const name of SERVICE_NAMES) {
    const token = randomSecret();
    writeFileSync(join(folder, `${name}.token`), `${token}\n`, FILE);
    writeFileSync(join(accepted, name), `${token}\n`, FILE);
  }
  return (name) => ({
    SERVICE_TOKEN_FILE: join(folder, `${name}.token`),
    SERVICE_TOKENS_DIR: accepted,
    PRINCIPAL_KEY_FILE: principalKey,
  });
}

function randomSecret(): string {
  return randomBytes(32).toString("base64");
}
