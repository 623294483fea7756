import { Type } from "#kit/schema/shape.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { StorageReader } from "#ports/storage-limits/storage-limits.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { QuotaRulesContext } from "../quota/open-quota-rules.ts";
import { openStorageLimits } from "../quota/rules-storage-limits.ts";
import { managedSessionsConfigSchema, withManagedSessions } from "./managed-sessions.ts";
import { type ContentConfig, openContentEncryption } from "./open-content-encryption.ts";
import { openFirestore, probeFirestore } from "./open-firestore.ts";
import { openPostgres, probePostgres } from "./open-postgres.ts";
import type { VertexConfig } from "./open-vertex.ts";
import type { DatabaseConfig } from "./row-table.ts";
import { type SessionLimitsConfig, sessionLimitsOf } from "./session-limits.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";

type StorageQuotaConfig = QuotaRulesContext["config"];

/** Sessions and their runs live in one store. */
export type SessionStore = SessionService & RunJournal & StorageReader;

const SESSION_STORES = {
  sqlite: async (context) => {
    const { dataFolder, clock, ids, stack, config } = context;
    const folder = dataFolder();
    const { SqliteSessionStore } = await import("#adapters/sqlite/sessions/sqlite-session-store.ts");
    const { spaceProbe } = await import("#adapters/files/space-probe.ts");
    const content = await openContentEncryption(context);
    const storage = await openStorageLimits(context);
    const limits = sessionLimitsOf(config);
    const store = stack.use(new SqliteSessionStore({ folder, clock, ids, limits, storage, sealer: content?.sealer }));
    return { store: content?.withKeys(store) ?? store, probeSpace: spaceProbe(folder, "sessions") };
  },
  memory: async (context) => {
    const { clock, ids, config } = context;
    const storage = await openStorageLimits(context);
    const { InMemorySessionStore } = await import("#ports/sessions/in-memory-session-store.ts");
    return { store: new InMemorySessionStore({ clock, ids, limits: sessionLimitsOf(config), storage }) };
  },
  firestore: async (context) => {
    const { clock, ids, config } = context;
    const database = await openFirestore(context);
    const { FirestoreSessionStore } = await import("#adapters/firestore/sessions/firestore-session-store.ts");
    const limits = sessionLimitsOf(config);
    const content = await openContentEncryption(context);
    const storage = await openStorageLimits(context);
    const sources = { clock, ids, storage, sealer: content?.sealer };
    const store = new FirestoreSessionStore({ database, rootCollection: config.FIRESTORE_ROOT, limits, ...sources });
    return { store: content?.withKeys(store) ?? store, probe: () => probeFirestore(database, config) };
  },
  postgres: async (context) => {
    const { clock, ids, config } = context;
    const database = await openPostgres(context);
    const { PostgresSessionStore } = await import("#adapters/postgres/sessions/postgres-session-store.ts");
    const limits = sessionLimitsOf(config);
    const content = await openContentEncryption(context);
    const storage = await openStorageLimits(context);
    const store = new PostgresSessionStore({ database, clock, ids, limits, storage, sealer: content?.sealer });
    return { store: content?.withKeys(store) ?? store, probe: () => probePostgres(database) };
  },
} as const satisfies Record<
  string,
  StoreOpener<SessionStore, DatabaseConfig & SessionLimitsConfig & ContentConfig & StorageQuotaConfig>
>;

export const sessionStoreConfigSchema = Type.Object({
  SESSION_STORE: Type.Enum(choicesIn(SESSION_STORES), {
    default: "sqlite",
    description: "Where sessions and runs are kept.",
  }),
  ...managedSessionsConfigSchema.properties,
});

export async function openSessionStore(
  context: StoreContext<
    DatabaseConfig &
      SessionLimitsConfig &
      ContentConfig &
      StorageQuotaConfig &
      VertexConfig &
      ConfigOf<typeof sessionStoreConfigSchema>
  >,
): Promise<OpenedStore<SessionStore>> {
  return withManagedSessions(await SESSION_STORES[context.config.SESSION_STORE](context), context);
}
