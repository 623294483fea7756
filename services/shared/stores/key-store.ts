import { prepareDataDir } from "#adapters/sqlite/data-dir.ts";
import { Type } from "#kit/schema/shape.ts";
import type { KeyStore } from "#ports/api-keys/key-store.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { type DatabaseConfig, openRowTable, ROW_BACKENDS } from "./row-table.ts";
import type { dataDirConfigSchema } from "./storage-settings.ts";
import { DATA_DIR_OPTIONS, type StoreContext } from "./store-context.ts";

export const keyStoreConfigSchema = Type.Object({
  KEY_STORE: Type.Enum(ROW_BACKENDS, {
    default: "sqlite",
    description: "Where API keys are kept, if AUTH has api-key; `memory` ends with the process.",
  }),
});

type Config = DatabaseConfig & ConfigOf<typeof dataDirConfigSchema> & ConfigOf<typeof keyStoreConfigSchema>;

export async function openKeyStore(context: Pick<StoreContext<Config>, "config" | "stack">): Promise<KeyStore> {
  const { KEY_STORE: backend, DATA_DIR } = context.config;
  // Does not take the folder's lock, because a command creates keys while the server has it.
  const dataFolder = () => prepareDataDir(DATA_DIR, DATA_DIR_OPTIONS);
  const { store: table } = await openRowTable(context, { backend, name: "keys", dataFolder });
  const { TabularKeyStore } = await import("#ports/api-keys/tabular-key-store.ts");
  return new TabularKeyStore({ table });
}
