import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { evalOldDataContract } from "./eval-old-data.ts";
import { evalStorageContract } from "./eval-storage.ts";
import { CONTRACT_TIME_MS, type EvalStoreContract, evalCase, evalSetResult, evalStoreContract } from "./eval-store.ts";
import { evalTenantsContract } from "./eval-tenants.ts";
import { evalWalkContract } from "./eval-walk.ts";

const CLOCK = new FixedClock(CONTRACT_TIME_MS);

describe.each(ROW_TABLES)("TabularEvalStore over %s", (_, openTable) => {
  const contract: EvalStoreContract = {
    create: async () => {
      const { table, dispose } = await openTable();
      return { service: new TabularEvalStore({ table, clock: CLOCK }), dispose };
    },
  };
  evalStoreContract(contract);
  evalWalkContract(contract);
  evalTenantsContract(contract);
  evalOldDataContract(contract);
  evalStorageContract(async (storage) => {
    const { table, dispose } = await openTable();
    const open = () => new TabularEvalStore({ table, storage, clock: CLOCK });
    return { store: open(), reopen: async () => open(), dispose };
  });

  it("refuses to read data that is not valid, and deletes it", async () => {
    const { table, dispose } = await openTable();
    const store = new TabularEvalStore({ table, clock: CLOCK });
    const key = { appName: "a/b", evalSetId: "smoke" };
    await store.createEvalSet({ ...key, evalCases: [evalCase("rome")] });
    await store.saveEvalSetResult(key, evalSetResult("r"));
    const contents = await table.listKeys({ prefix: "content/", limit: 9 });
    expect(contents).toHaveLength(2);
    await table.commit(contents.map((row) => ({ key: row, value: { eval_set_id: 1, evalSetId: 1 } })));
    const broken = {
      reason: "EVAL_DATA_BROKEN",
      message: expect.stringMatching(/cannot be read: .* Repair or delete/),
    };
    await expect(store.getEvalSet(key)).rejects.toMatchObject(broken);
    await expect(store.addEvalCase(key, evalCase("oslo"))).rejects.toMatchObject(broken);
    await expect(store.getEvalSetResult(key, "r")).rejects.toMatchObject(broken);
    await store.deleteEvalSet(key);
    expect(await store.deleteData({ tenantId: "default", limit: 9 })).toEqual({ deleted: 1, isDone: true });
    expect(await table.listKeys({ prefix: "", limit: 9 })).toEqual([]);
    await dispose();
  });
});
