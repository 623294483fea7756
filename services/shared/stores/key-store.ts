import { join } from "node:path";
import { prepareDataDir } from "#adapters/sqlite/data-dir.ts";
import type { KeyStore } from "#kit/identity/key-store.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { type FirestoreConfig, openFirestore } from "./open-firestore.ts";
import type { dataDirConfigSchema } from "./storage-settings.ts";
import { choicesIn, DATA_DIR_OPTIONS } from "./store-context.ts";

type KeyStoreContext<Config> = Parameters<typeof openFirestore>[0] & { readonly config: Config };

type Config = FirestoreConfig & ConfigOf<typeof dataDirConfigSchema>;

const KEY_STORES = {
  // Does not take the folder's lock, because a command creates keys while the server has it.
  sqlite: async ({ config, stack }: KeyStoreContext<Config>) => {
    const folder = prepareDataDir(config.DATA_DIR, DATA_DIR_OPTIONS);
    const { SqliteKeyStore } = await import("#adapters/sqlite/sqlite-key-store.ts");
    return stack.use(new SqliteKeyStore(join(folder, "keys.sqlite")));
  },
  memory: async () => {
    const { InMemoryKeyStore } = await import("#kit/identity/in-memory-key-store.ts");
    return new InMemoryKeyStore();
  },
  firestore: async (context: KeyStoreContext<Config>) => {
    const database = await openFirestore(context);
    const { FirestoreKeyStore } = await import("#adapters/firestore/firestore-key-store.ts");
    return new FirestoreKeyStore({ database, root: context.config.FIRESTORE_ROOT });
  },
} as const satisfies Record<string, (context: KeyStoreContext<Config>) => Promise<KeyStore>>;

export const keyStoreConfigSchema = Type.Object({
  KEY_STORE: Type.Enum(choicesIn(KEY_STORES), {
    default: "sqlite",
    description: "Where API keys are kept, if AUTH has api-key; `memory` ends with the process.",
  }),
});

export function openKeyStore(
  context: KeyStoreContext<Config & ConfigOf<typeof keyStoreConfigSchema>>,
): Promise<KeyStore> {
  return KEY_STORES[context.config.KEY_STORE](context);
}
