import { join } from "node:path";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { Type } from "#kit/schema/shape.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { limitNamesOf, type StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { QuotaRulesContext } from "../quota/open-quota-rules.ts";
import { openStorageLimits } from "../quota/rules-storage-limits.ts";
import { type ContentConfig, openContentEncryption } from "./open-content-encryption.ts";
import { type FirestoreConfig, openFirestore, probeFirestore } from "./open-firestore.ts";
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
    const { clock, ids, config } = context;
    const database = await openFirestore(context);
    const { FirestoreMemoryService } = await import("#adapters/firestore/firestore-memory-service.ts");
    const embedder = await openEmbedder(config.MEMORY_EMBEDDING_MODEL);
    const content = await openContentEncryption(context);
    const storage = await limitsOf(context);
    const options = { database, root: config.FIRESTORE_ROOT, clock, ids, storage, sealer: content?.sealer };
    const store = new FirestoreMemoryService(embedder === undefined ? options : { ...options, embedder });
    return { store: content?.withKeys(store) ?? store, probe: () => probeFirestore(database, config) };
  },
} as const satisfies Record<
  string,
  StoreOpener<MemoryService & MeteredStore, FirestoreConfig & EmbeddingConfig & ContentConfig & QuotaConfig>
>;

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
      "Embedding model of the Gemini API by which memory in Firestore is found by meaning too; empty for words alone.",
  }),
});

export function openMemoryStore(
  context: StoreContext<FirestoreConfig & ContentConfig & QuotaConfig & ConfigOf<typeof memoryStoreConfigSchema>>,
): Promise<OpenedStore<MemoryService & MeteredStore>> {
  return MEMORY_STORES[context.config.MEMORY_STORE](context);
}
