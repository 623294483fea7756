import { describe } from "vitest";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { evalJobStoreContract } from "./eval-job-store.ts";

describe.each(ROW_TABLES)("TabularEvalJobStore over %s", (_, openTable) => {
  evalJobStoreContract({
    create: async (clock) => {
      const { table, dispose } = await openTable();
      const open = () => new TabularEvalJobStore({ table, clock });
      return { store: open(), reopen: async () => open(), dispose };
    },
  });
});
