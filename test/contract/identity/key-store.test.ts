import { describe } from "vitest";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { keyStoreContract } from "./key-store.ts";

describe.each(ROW_TABLES)("TabularKeyStore over %s", (_, openTable) => {
  keyStoreContract({
    create: async () => {
      const { table, dispose } = await openTable();
      return { store: new TabularKeyStore({ table }), dispose };
    },
  });
});
