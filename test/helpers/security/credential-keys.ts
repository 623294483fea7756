import type { CredentialKeys } from "#ports/credentials/credential-keys.ts";
import { CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";

/** Keys by their names, each of 32 equal bytes that its place determines. */
export function keysNamed(current: string, ...former: readonly string[]): CredentialKeys {
  return { current, keys: new Map([current, ...former].map((name) => [name, bytesOf(name)])) };
}

export function sealerWith(keys: CredentialKeys, content?: ContentSealer): CredentialSealer {
  return new CredentialSealer(() => keys, content);
}

function bytesOf(name: string): Uint8Array {
  return Buffer.alloc(32, name);
}
