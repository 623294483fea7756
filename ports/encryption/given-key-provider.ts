import type { Clock } from "#kit/platform/clock.ts";
import { having } from "#kit/schema/check-options.ts";
import { ContentEncryption } from "./content-encryption.ts";
import { ContentKeys } from "./content-keys.ts";
import type { KeyProvider } from "./key-provider.ts";

/** An option of stores that encrypt content. */
export const KEY_PROVIDER_RULE = having("wrap", "unwrap");

/** The encryption with the provider's keys; undefined without a provider. */
export function encryptionWith(provider: KeyProvider | undefined, clock: Clock): ContentEncryption | undefined {
  return provider && new ContentEncryption(new ContentKeys({ provider, clock }));
}
