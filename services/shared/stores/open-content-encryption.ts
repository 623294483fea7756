import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { ContentEncryption } from "#ports/encryption/content-encryption.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { WatchedFile } from "../security/watched-file.ts";
import type { contentConfigSchema } from "./content-settings.ts";
import type { StoreContext } from "./store-context.ts";

export type ContentConfig = ConfigOf<typeof contentConfigSchema>;

type ContentContext = Pick<StoreContext<ContentConfig>, "config" | "clock" | "logger">;

/** The encryption of a store's content; undefined if it is off. Throws `CONFIGURATION` if the keys cannot be used. */
export async function openContentEncryption(context: ContentContext): Promise<ContentEncryption | undefined> {
  const { config, clock } = context;
  if (config.CONTENT_ENCRYPTION === "off") return undefined;
  const [{ ContentEncryption }, { ContentKeys }, provider] = await Promise.all([
    import("#ports/encryption/content-encryption.ts"),
    import("#ports/encryption/content-keys.ts"),
    PROVIDERS[config.CONTENT_ENCRYPTION](context),
  ]);
  return new ContentEncryption(new ContentKeys({ provider, clock, maxAgeMs: config.CONTENT_KEY_CACHE_SECONDS * 1000 }));
}

const PROVIDERS = {
  file: async (context: ContentContext): Promise<KeyProvider> => {
    const { LocalKeyProvider } = await import("#ports/encryption/local-key-provider.ts");
    const file = await watchKeyFile(context);
    return new LocalKeyProvider(() => file.content);
  },
  kms: async ({ config }: ContentContext): Promise<KeyProvider> => {
    const { CloudKmsKeyProvider } = await importOptional({
      name: "google-auth-library",
      user: "Keys in Cloud KMS",
      load: () => import("#adapters/kms/cloud-kms-key-provider.ts"),
    });
    return new CloudKmsKeyProvider({ keyName: config.CONTENT_KMS_KEY });
  },
};

async function watchKeyFile({ config, clock, logger }: ContentContext) {
  const [{ parse }, { readKeyFile }] = await Promise.all([import("yaml"), import("./key-file.ts")]);
  const parseKeys = (text: string) => {
    let value: unknown;
    try {
      value = parse(text);
    } catch {
      // The cause would contain a part of the file, and so perhaps a key.
      throw new PlatformError("CONFIGURATION", "CONTENT_KEYS_FILE: the file is not valid YAML.");
    }
    return readKeyFile(value);
  };
  const setting = "CONTENT_KEYS_FILE";
  return new WatchedFile({ path: config.CONTENT_KEYS_FILE, setting, parse: parseKeys, clock, logger });
}
