import { join } from "node:path";
import type { EvalJobStore } from "#kit/evaluation/jobs/eval-job-store.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { evalStoreConfigSchema } from "./eval-store.ts";
import { type FirestoreConfig, openFirestore, probeFirestore } from "./open-firestore.ts";
import type { OpenedStore, StoreContext, StoreOpener } from "./store-context.ts";

type Config = FirestoreConfig & ConfigOf<typeof evalStoreConfigSchema>;

/** Jobs are stored where sets and results are. */
const EVAL_JOB_STORES = {
  files: async ({ dataFolder, clock, stack }) => {
    const folder = dataFolder();
    const { SqliteEvalJobStore } = await import("#adapters/sqlite/sqlite-eval-job-store.ts");
    return { store: stack.use(new SqliteEvalJobStore({ file: join(folder, "eval-jobs.sqlite"), clock })) };
  },
  memory: async ({ clock }) => {
    const { InMemoryEvalJobStore } = await import("#kit/evaluation/jobs/in-memory-eval-job-store.ts");
    return { store: new InMemoryEvalJobStore({ clock }) };
  },
  firestore: async (context) => {
    const { clock, config } = context;
    const database = await openFirestore(context);
    const { FirestoreEvalJobStore } = await import("#adapters/firestore/firestore-eval-job-store.ts");
    const store = new FirestoreEvalJobStore({ database, root: config.FIRESTORE_ROOT, clock });
    return { store, probe: () => probeFirestore(database, config) };
  },
} as const satisfies Record<Config["EVAL_STORE"], StoreOpener<EvalJobStore, FirestoreConfig>>;

export function openEvalJobStore(context: StoreContext<Config>): Promise<OpenedStore<EvalJobStore>> {
  return EVAL_JOB_STORES[context.config.EVAL_STORE](context);
}
