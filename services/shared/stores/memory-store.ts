import { join } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { Type } from "#kit/schema/shape.ts";
import { type MeteredAmounts, type MeteredStore, NOTHING_METERED } from "#ports/storage-limits/metered-amounts.ts";
import { limitNamesOf, type StorageCount, type StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { QuotaRulesContext } from "../quota/open-quota-rules.ts";
import { openStorageLimits } from "../quota/rules-storage-limits.ts";
import { type ContentConfig, openContentEncryption } from "./open-content-encryption.ts";
import { openFirestore, probeFirestore } from "./open-firestore.ts";
import { openPostgres, probePostgres } from "./open-postgres.ts";
import { createOfVertex, type VertexConfig } from "./open-vertex.ts";
import type { DatabaseConfig } from "./row-table.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";

const MEMORY_STORES = {
  sqlite: async (context) => {
    const { dataFolder, clock, ids, stack } = context;
    const folder = dataFolder();
    const { SqliteMemoryService } = await import("#adapters/sqlite/sqlite-memory-service.ts");
    const { spaceProbe } = await import("#adapters/files/space-probe.ts");
    const content = await openContentEncryption(context);
    const storage = await limitsOf(context);
    const options = { path: join(folder, "memory.sqlite"), clock, ids, storage, sealer: content?.sealer };
    const store = stack.use(new SqliteMemoryService(options));
    return { store: content?.withKeys(store) ?? store, probeSpace: spaceProbe(folder, "memory") };
  },
  memory: async (context) => {
    const { clock, ids } = context;
    const { InMemoryMemoryService } = await import("#ports/memory/in-memory-memory-service.ts");
    return { store: new InMemoryMemoryService({ clock, ids, storage: await limitsOf(context) }) };
  },
  firestore: async (context) => {
    const { clock, ids, config, logger } = context;
    const database = await openFirestore(context);
    const { FirestoreMemoryService } = await import("#adapters/firestore/firestore-memory-service.ts");
    const embedder = await openEmbedder(config.MEMORY_EMBEDDING_MODEL);
    const content = await openContentEncryption(context);
    const storage = await limitsOf(context);
    const options = { database, clock, ids, storage, embedder, logger, sealer: content?.sealer };
    const store = new FirestoreMemoryService({ ...options, root: config.FIRESTORE_ROOT });
    return { store: content?.withKeys(store) ?? store, probe: () => probeFirestore(database, config) };
  },
  postgres: async (context) => {
    const { clock, ids, config, logger } = context;
    const database = await openPostgres(context);
    const { PostgresMemoryService } = await import("#adapters/postgres/postgres-memory-service.ts");
    const embedder = await openEmbedder(config.MEMORY_EMBEDDING_MODEL);
    const content = await openContentEncryption(context);
    const storage = await limitsOf(context);
    const options = { database, clock, ids, storage, embedder, logger, sealer: content?.sealer };
    const store = new PostgresMemoryService(options);
    return { store: content?.withKeys(store) ?? store, probe: () => probePostgres(database) };
  },
  vertex: async (context) => {
    const { clock, ids } = context;
    if ((await limitsOf(context))?.counted.length)
      throw wrong(
        "QUOTAS_FILE limits memoryEntries or memoryBytes, which MEMORY_STORE=vertex cannot count: remove the limits, or choose another store.",
      );
    const { VertexAiMemoryBankService } = await import("#adapters/vertex/vertex-ai-memory-bank-service.ts");
    const user = "MEMORY_STORE=vertex";
    const store = createOfVertex(context, user, (place) => new VertexAiMemoryBankService({ ...place, clock, ids }));
    return { store: Object.assign(store, { readStored: readNothing }) };
  },
} as const satisfies Record<string, StoreOpener<MemoryStore, MemoryStoreConfig>>;

type MemoryStore = MemoryService & MeteredStore;

type MemoryStoreConfig = DatabaseConfig & EmbeddingConfig & ContentConfig & QuotaConfig & VertexConfig;

/** Of a store that counts nothing. */
async function readNothing(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
  return counts.map(() => NOTHING_METERED);
}

type QuotaConfig = QuotaRulesContext["config"];

function limitsOf(context: QuotaRulesContext): Promise<StorageLimits | undefined> {
  return openStorageLimits(context, limitNamesOf("memory"));
}

interface EmbeddingConfig {
  readonly MEMORY_EMBEDDING_MODEL: string;
}

async function openEmbedder(model: string): Promise<Embedder | undefined> {
  if (model === "") return undefined;
  const { GeminiEmbedder } = await import("#kit/models/gemini/gemini-embedder.ts");
  return new GeminiEmbedder({ model });
}

export const memoryStoreConfigSchema = Type.Object({
  MEMORY_STORE: Type.Enum(choicesIn(MEMORY_STORES), {
    default: "sqlite",
    description: "Where agents' long-term memory is kept.",
  }),
  MEMORY_EMBEDDING_MODEL: Type.String({
    default: "",
    description:
      "Embedding model of the Gemini API that finds memory in Firestore and Postgres by meaning too; empty for words alone.",
  }),
  MEMORY_FACTS_MODEL: Type.String({
    default: "",
    description:
      "Model that extracts facts about the user when a session is added to memory, which are kept instead of its texts; empty for the texts.",
  }),
  MEMORY_FACTS_TTL_DAYS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    description: "Days that a fact is remembered after a session has last confirmed it; 0 for ever.",
  }),
});

const SECONDS_OF_DAY = 86_400;

export async function openMemoryStore(
  context: StoreContext<MemoryStoreConfig & ConfigOf<typeof memoryStoreConfigSchema>>,
): Promise<OpenedStore<MemoryStore>> {
  return withFacts(await MEMORY_STORES[context.config.MEMORY_STORE](context), context);
}

/** Keeps facts instead of texts in the store, if the settings name a model that extracts them. */
async function withFacts(
  { store, ...probes }: OpenedStore<MemoryStore>,
  { config, clock, ids }: StoreContext<ConfigOf<typeof memoryStoreConfigSchema>>,
): Promise<OpenedStore<MemoryStore>> {
  const { MEMORY_FACTS_MODEL: name, MEMORY_FACTS_TTL_DAYS: days, MEMORY_STORE } = config;
  if (name === "") return { store, ...probes };
  if (MEMORY_STORE === "vertex")
    throw wrong(
      "MEMORY_FACTS_MODEL extracts facts for stores of ours, and MEMORY_STORE=vertex does so itself: set one.",
    );
  const [{ ConsolidatedMemoryService }, { defaultModelRegistry }] = await Promise.all([
    import("#ports/memory/consolidated-memory-service.ts"),
    import("#kit/models/registry/model-registry.ts"),
  ]);
  const model = defaultModelRegistry.resolve(name);
  const ttlSeconds = days === 0 ? undefined : days * SECONDS_OF_DAY;
  const facts = new ConsolidatedMemoryService({ memoryService: store, model, ttlSeconds, clock, ids });
  // The facts are in the store, with all that it counts and deletes.
  const data = tenantDataOf(store);
  const old = oldDataOf(store);
  const own = {
    readStored: store.readStored.bind(store),
    listData: data.listData.bind(data),
    deleteData: data.deleteData.bind(data),
    listOldData: old.listOldData.bind(old),
    deleteOldData: old.deleteOldData.bind(old),
  };
  return { ...probes, store: Object.assign(facts, own) };
}

function wrong(problem: string): PlatformError {
  return new PlatformError("CONFIGURATION", problem);
}
