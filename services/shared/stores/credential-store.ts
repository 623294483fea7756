import type { CredentialService } from "#kit/credentials/credential-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import type { CredentialKeys } from "#ports/credentials/credential-keys.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { WatchedFile } from "../security/watched-file.ts";
import type { credentialKeysConfigSchema } from "./content-settings.ts";
import { type ContentConfig, openContentEncryption } from "./open-content-encryption.ts";
import { type DatabaseConfig, openRowTable, ROW_BACKENDS, type RowBackend } from "./row-table.ts";
import type { OpenedStore, StoreContext } from "./store-context.ts";

/** The store of users' credentials for tools. Runs use one part of it, the routes for users another. */
export type CredentialStore = CredentialService & CredentialDirectory;

export type CredentialKeysConfig = ConfigOf<typeof credentialKeysConfigSchema>;

export const credentialStoreConfigSchema = Type.Object({
  CREDENTIAL_STORE: Type.Enum(ROW_BACKENDS, {
    default: "sqlite",
    description: "Where users' credentials for tools are kept, sealed; `memory` ends with the process.",
  }),
});

type Config = DatabaseConfig & ContentConfig & CredentialKeysConfig & ConfigOf<typeof credentialStoreConfigSchema>;

export async function openCredentialStore(context: StoreContext<Config>): Promise<OpenedStore<CredentialStore>> {
  const { config, clock, dataFolder } = context;
  const backend = config.CREDENTIAL_STORE;
  const { store: table, ...opened } = await openRowTable(context, { backend, name: "credentials", dataFolder });
  const { TabularCredentialService } = await import("#ports/credentials/tabular-credential-service.ts");
  if (backend === "memory") return { ...opened, store: new TabularCredentialService({ table, clock }) };
  const [content, keys] = await Promise.all([openContentEncryption(context), openCredentialKeys(context, backend)]);
  const { CredentialSealer } = await import("#ports/credentials/credential-sealer.ts");
  const sealer = new CredentialSealer(keys, content?.sealer);
  const store = new TabularCredentialService({ table, clock, sealer });
  return { ...opened, store: content?.withKeys(store) ?? store };
}

type KeysContext = Pick<StoreContext<CredentialKeysConfig>, "config" | "clock" | "logger" | "dataFolder">;

/** The keys of the file that the settings name, or of one in the data folder. */
export async function openCredentialKeys(context: KeysContext, backend: RowBackend): Promise<() => CredentialKeys> {
  const { config, dataFolder } = context;
  if (backend !== "sqlite" || config.CREDENTIAL_KEYS_FILE !== "") return watchKeys(context);
  const { openCredentialKeyFile } = await import("#adapters/sqlite/keys/credential-key-file.ts");
  const own = await openCredentialKeyFile(dataFolder());
  return () => own;
}

/** Throws `CONFIGURATION` if the file cannot be used. */
async function watchKeys({ config, clock, logger }: KeysContext): Promise<() => CredentialKeys> {
  const setting = "CREDENTIAL_KEYS_FILE";
  const { credentialKeysReader } = await import("#ports/credentials/read-credential-keys.ts");
  const parse = await credentialKeysReader(
    (problem) => new PlatformError("CONFIGURATION", `${setting}: the file ${problem}.`),
  );
  const file = new WatchedFile({ path: config.CREDENTIAL_KEYS_FILE, setting, parse, clock, logger });
  return () => file.content;
}
