import { join } from "node:path";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { ConfigOf } from "./config-schema.ts";
import { type FirestoreConfig, openFirestore, probeFirestore } from "./open-firestore.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";
import { Type } from "./type.ts";

const MEMORY_STORES = {
  sqlite: async ({ dataFolder, clock, ids, stack }) => {
    const path = join(dataFolder(), "memory.sqlite");
    const { SqliteMemoryService } = await import("#adapters/sqlite/sqlite-memory-service.ts");
    return { store: stack.use(new SqliteMemoryService({ path, clock, ids })) };
  },
  memory: async ({ clock, ids }) => {
    const { InMemoryMemoryService } = await import("#kit/memory/in-memory-memory-service.ts");
    return { store: new InMemoryMemoryService({ clock, ids }) };
  },
  firestore: async (context) => {
    const { clock, ids, config } = context;
    const { FirestoreMemoryService } = await import("#adapters/firestore/firestore-memory-service.ts");
    const database = await openFirestore(context);
    const store = new FirestoreMemoryService({ database, root: config.FIRESTORE_ROOT, clock, ids });
    return { store, probe: () => probeFirestore(database, config) };
  },
} as const satisfies Record<string, StoreOpener<MemoryService, FirestoreConfig>>;

export const memoryStoreConfigSchema = Type.Object({
  MEMORY_STORE: Type.Enum(choicesIn(MEMORY_STORES), {
    default: "sqlite",
    description: "Where agents' long-term memory is kept.",
  }),
});

export function openMemoryStore(
  context: StoreContext<FirestoreConfig & ConfigOf<typeof memoryStoreConfigSchema>>,
): Promise<OpenedStore<MemoryService>> {
  return MEMORY_STORES[context.config.MEMORY_STORE](context);
}
