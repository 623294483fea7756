import { join } from "node:path";
import type { EvalStore } from "#kit/evaluation/eval-store.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { type FirestoreConfig, openFirestore, probeFirestore } from "./open-firestore.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";

const EVAL_STORES = {
  files: async ({ dataFolder, clock }) => {
    const folder = join(dataFolder(), "evals");
    const { FileEvalStore } = await import("#adapters/files/file-eval-store.ts");
    const { spaceProbe } = await import("#adapters/files/space-probe.ts");
    return { store: new FileEvalStore({ folder, clock }), probeSpace: spaceProbe(folder, "evals") };
  },
  memory: async ({ clock }) => {
    const { InMemoryEvalStore } = await import("#kit/evaluation/in-memory-eval-store.ts");
    return { store: new InMemoryEvalStore({ clock }) };
  },
  firestore: async (context) => {
    const { clock, config } = context;
    const database = await openFirestore(context);
    const { FirestoreEvalStore } = await import("#adapters/firestore/firestore-eval-store.ts");
    const store = new FirestoreEvalStore({ database, root: config.FIRESTORE_ROOT, clock });
    return { store, probe: () => probeFirestore(database, config) };
  },
} as const satisfies Record<string, StoreOpener<EvalStore, FirestoreConfig>>;

export const evalStoreConfigSchema = Type.Object({
  EVAL_STORE: Type.Enum(choicesIn(EVAL_STORES), {
    default: "files",
    description: "Where evaluation sets and results are kept.",
  }),
});

export function openEvalStore(
  context: StoreContext<FirestoreConfig & ConfigOf<typeof evalStoreConfigSchema>>,
): Promise<OpenedStore<EvalStore>> {
  return EVAL_STORES[context.config.EVAL_STORE](context);
}
