import { Type } from "#kit/schema/shape.ts";

/** The keys that seal users' credentials for tools. */
export const credentialKeysConfigSchema = Type.Object({
  CREDENTIAL_KEYS_FILE: Type.String({
    default: "",
    neededBy: { CREDENTIAL_STORE: ["firestore"], A2A_PUSH: ["firestore"] },
    description:
      "YAML file with the keys that seal credentials and the secrets of push notifications: `keys`, 32 bytes in base64 each by name, and `current`, the name of the one that seals. A changed file is read within a second. With `sqlite`, a file in DATA_DIR is created if empty.",
  }),
});
