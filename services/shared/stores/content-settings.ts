import { Type } from "#kit/schema/shape.ts";

/** How the content of stores is encrypted. */
export const contentConfigSchema = Type.Object({
  CONTENT_ENCRYPTION: Type.Enum(["off", "file", "kms"], {
    default: "off",
    description:
      "Source of the keys, one for each tenant, that encrypt events, state, requests of runs, artifacts and memory. `off` stores content as it is.",
  }),
  CONTENT_KEYS_FILE: Type.String({
    default: "",
    neededBy: { CONTENT_ENCRYPTION: ["file"] },
    description:
      "YAML file with the keys of each tenant under `tenants`: 32 bytes in base64 each, the newest first. A changed file is read within a second.",
  }),
  CONTENT_KMS_KEY: Type.String({
    default: "",
    neededBy: { CONTENT_ENCRYPTION: ["kms"] },
    description:
      "Name of each tenant's key in Cloud KMS, with {tenant} in its last part: projects/…/locations/…/keyRings/…/cryptoKeys/{tenant}.",
  }),
  CONTENT_KEY_CACHE_SECONDS: Type.Integer({
    default: 300,
    minimum: 1,
    description: "How long a process decrypts with a key after the tenant's key was deleted.",
  }),
});

/** The keys that seal users' credentials for tools. */
export const credentialKeysConfigSchema = Type.Object({
  CREDENTIAL_KEYS_FILE: Type.String({
    default: "",
    neededBy: {
      CREDENTIAL_STORE: ["firestore", "postgres"],
      A2A_PUSH: ["firestore", "postgres"],
      WEBHOOKS: ["firestore", "postgres"],
    },
    description:
      "YAML file with the keys that seal credentials and the secrets of push notifications: `keys`, 32 bytes in base64 each by name, and `current`, the name of the one that seals. A changed file is read within a second. With `sqlite`, a file in DATA_DIR is created if empty.",
  }),
});
