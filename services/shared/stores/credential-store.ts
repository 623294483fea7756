import { join } from "node:path";
import type { CredentialDirectory } from "#kit/credentials/credential-directory.ts";
import type { CredentialKeys } from "#kit/credentials/credential-keys.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { ContentSealer } from "#kit/encryption/content-sealer.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { WatchedFile } from "../security/watched-file.ts";
import type { credentialKeysConfigSchema } from "./credential-settings.ts";
import { type ContentConfig, openContentEncryption } from "./open-content-encryption.ts";
import { type FirestoreConfig, openFirestore, probeFirestore } from "./open-firestore.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";

/** The store of users' credentials for tools, with the calls of runs and those of the users themselves. */
export type CredentialStore = CredentialService & CredentialDirectory;

type KeysConfig = ConfigOf<typeof credentialKeysConfigSchema>;

const CREDENTIAL_STORES = {
  sqlite: async (context) => {
    const { config, dataFolder, clock, stack } = context;
    const folder = dataFolder();
    const [{ SqliteCredentialService }, { openCredentialKeyFile }, { spaceProbe }] = await Promise.all([
      import("#adapters/sqlite/sqlite-credential-service.ts"),
      import("#adapters/sqlite/keys/credential-key-file.ts"),
      import("#adapters/files/space-probe.ts"),
    ]);
    const content = await openContentEncryption(context);
    const own = config.CREDENTIAL_KEYS_FILE === "" ? await openCredentialKeyFile(folder) : undefined;
    const keys = own === undefined ? await watchKeys(context) : () => own;
    const sealer = await createSealer(keys, content?.sealer);
    const path = join(folder, "credentials.sqlite");
    const store = stack.use(new SqliteCredentialService({ path, clock, sealer }));
    return { store: content?.withKeys(store) ?? store, probeSpace: spaceProbe(folder, "credentials") };
  },
  memory: async ({ clock }) => {
    const { InMemoryCredentialService } = await import("#kit/credentials/in-memory-credential-service.ts");
    return { store: new InMemoryCredentialService({ clock }) };
  },
  firestore: async (context) => {
    const { clock, config } = context;
    const database = await openFirestore(context);
    const { FirestoreCredentialService } = await import("#adapters/firestore/firestore-credential-service.ts");
    const content = await openContentEncryption(context);
    const sealer = await createSealer(await watchKeys(context), content?.sealer);
    const store = new FirestoreCredentialService({ database, root: config.FIRESTORE_ROOT, clock, sealer });
    return { store: content?.withKeys(store) ?? store, probe: () => probeFirestore(database, config) };
  },
} as const satisfies Record<string, StoreOpener<CredentialStore, FirestoreConfig & ContentConfig & KeysConfig>>;

async function createSealer(keys: () => CredentialKeys, content: ContentSealer | undefined) {
  const { CredentialSealer } = await import("#kit/credentials/credential-sealer.ts");
  return new CredentialSealer(keys, content);
}

/** Throws `CONFIGURATION` if the file cannot be used. */
async function watchKeys({ config, clock, logger }: StoreContext<KeysConfig>): Promise<() => CredentialKeys> {
  const setting = "CREDENTIAL_KEYS_FILE";
  const { credentialKeysReader } = await import("#kit/credentials/read-credential-keys.ts");
  const parse = await credentialKeysReader(
    (problem) => new PlatformError("CONFIGURATION", `${setting}: the file ${problem}.`),
  );
  const file = new WatchedFile({ path: config.CREDENTIAL_KEYS_FILE, setting, parse, clock, logger });
  return () => file.content;
}

export const credentialStoreConfigSchema = Type.Object({
  CREDENTIAL_STORE: Type.Enum(choicesIn(CREDENTIAL_STORES), {
    default: "sqlite",
    description: "Where users' credentials for tools are kept, sealed; `memory` ends with the process.",
  }),
});

export function openCredentialStore(
  context: StoreContext<FirestoreConfig & ContentConfig & KeysConfig & ConfigOf<typeof credentialStoreConfigSchema>>,
): Promise<OpenedStore<CredentialStore>> {
  return CREDENTIAL_STORES[context.config.CREDENTIAL_STORE](context);
}
