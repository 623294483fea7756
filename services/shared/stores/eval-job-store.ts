import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { evalStoreConfigSchema } from "./eval-store.ts";
import { type DatabaseConfig, openRowTable } from "./row-table.ts";
import type { OpenedStore, StoreContext } from "./store-context.ts";

/** Jobs are stored where sets and results are. */
export async function openEvalJobStore(
  context: StoreContext<DatabaseConfig & ConfigOf<typeof evalStoreConfigSchema>>,
): Promise<OpenedStore<EvalJobStore>> {
  const { config, clock, dataFolder } = context;
  const backend = config.EVAL_STORE === "files" ? "sqlite" : config.EVAL_STORE;
  const { store: table, ...opened } = await openRowTable(context, { backend, name: "eval-jobs", dataFolder });
  const { TabularEvalJobStore } = await import("#ports/evaluation-jobs/tabular-eval-job-store.ts");
  return { ...opened, store: new TabularEvalJobStore({ table, clock }) };
}
