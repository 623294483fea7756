import { join } from "node:path";
import { Type } from "#kit/schema/shape.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { limitNamesOf, type StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { QuotaRulesContext } from "../quota/open-quota-rules.ts";
import { openStorageLimits } from "../quota/rules-storage-limits.ts";
import { type DatabaseConfig, openRowTable, type RowBackend } from "./row-table.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";

const EVAL_STORES = {
  files: async (context) => {
    const { dataFolder, clock } = context;
    const folder = join(dataFolder(), "evals");
    const { FileEvalStore } = await import("#adapters/files/file-eval-store.ts");
    const { spaceProbe } = await import("#adapters/files/space-probe.ts");
    const store = new FileEvalStore({ folder, clock, storage: await limitsOf(context) });
    return { store, probeSpace: spaceProbe(folder, "evals") };
  },
  memory: (context) => openOnRows(context, "memory"),
  firestore: (context) => openOnRows(context, "firestore"),
  postgres: (context) => openOnRows(context, "postgres"),
} as const satisfies Record<string, StoreOpener<EvalStore & MeteredStore, DatabaseConfig & QuotaConfig>>;

type QuotaConfig = QuotaRulesContext["config"];

function limitsOf(context: QuotaRulesContext): Promise<StorageLimits | undefined> {
  return openStorageLimits(context, limitNamesOf("evaluations"));
}

async function openOnRows(
  context: StoreContext<DatabaseConfig & QuotaConfig>,
  backend: RowBackend,
): Promise<OpenedStore<EvalStore & MeteredStore>> {
  const { clock, dataFolder } = context;
  const { store: table, ...opened } = await openRowTable(context, { backend, name: "evaluations", dataFolder });
  const { TabularEvalStore } = await import("#ports/evaluation/tabular-eval-store.ts");
  return { ...opened, store: new TabularEvalStore({ table, clock, storage: await limitsOf(context) }) };
}

export const evalStoreConfigSchema = Type.Object({
  EVAL_STORE: Type.Enum(choicesIn(EVAL_STORES), {
    default: "files",
    description: "Where evaluation sets and results are kept.",
  }),
});

export function openEvalStore(
  context: StoreContext<DatabaseConfig & QuotaConfig & ConfigOf<typeof evalStoreConfigSchema>>,
): Promise<OpenedStore<EvalStore & MeteredStore>> {
  return EVAL_STORES[context.config.EVAL_STORE](context);
}
