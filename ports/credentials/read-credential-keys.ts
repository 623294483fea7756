import { isJsonObject } from "#kit/platform/json.ts";
import { type CredentialKeys, readCredentialKeys } from "./credential-keys.ts";

/**
 * Reads the keys from the text of a YAML file with `current`, the name of the key that seals, and `keys`, a map from
 * names to 32 bytes in base64. `refuse` creates the error for a problem of the file, which contains no key.
 */
export async function credentialKeysReader(
  refuse: (problem: string) => Error,
): Promise<(text: string) => CredentialKeys> {
  const { parse } = await import("yaml");
  return (text) => {
    let value: unknown;
    try {
      value = parse(text);
    } catch {
      // The cause would contain a part of the file, and so perhaps a key.
      throw refuse("is not valid YAML");
    }
    return credentialKeysOf(value, refuse);
  };
}

/** The keys in the content of such a file. */
export function credentialKeysOf(value: unknown, refuse: (problem: string) => Error): CredentialKeys {
  const { current, keys } = isJsonObject(value) ? value : {};
  if (!isJsonObject(keys)) throw refuse("has no map `keys`");
  const entries = Object.entries(keys).map(([name, key]) => [name, bytesOf(key)] as const);
  // YAML reads a name of digits as a number.
  return readCredentialKeys(typeof current === "number" ? String(current) : current, entries, refuse);
}

function bytesOf(key: unknown): Uint8Array | undefined {
  const bytes = typeof key === "string" ? Buffer.from(key, "base64") : undefined;
  // Node ignores characters that are not base64.
  return bytes?.toString("base64") === key ? bytes : undefined;
}
