import { expect, it } from "vitest";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { EVALUATION_RESULTS, EVALUATION_SETS } from "../stores/metered-operations.ts";
import { type MeteredStoreContract, meteredStoreContract } from "../stores/metered-store.ts";
import { evalCase } from "./eval-store.ts";

type Store = EvalStore & MeteredStore;

/** The limits of stored sets, cases and results in every store. */
export function evalStorageContract(create: MeteredStoreContract<Store>["create"]): void {
  meteredStoreContract({ ...EVALUATION_SETS, create });
  meteredStoreContract({ ...EVALUATION_RESULTS, create });

  it("counts cases that are added, replaced and deleted", async () => {
    const { store, dispose } = await create(completeStorageLimits({ app: { evalBytes: 3_000 } }, ["evalBytes"]));
    const key = { appName: "app", evalSetId: "set" };
    const stored = async () => (await store.readStored([{ scope: "app", name: "app" }]))[0]?.bytes ?? 0;
    await store.createEvalSet({ ...key, creationTimestamp: 1 });
    const empty = await stored();
    await store.addEvalCase(key, evalCase("rome"));
    const withCase = await stored();
    expect(withCase).toBeGreaterThan(empty + 100);
    await store.updateEvalCase(key, evalCase("rome", "weather in Rome?".repeat(10)));
    expect(await stored()).toBe(withCase + 9 * 16);
    const refused = { reason: "QUOTA_EXCEEDED" };
    await expect(store.updateEvalCase(key, evalCase("rome", "x".repeat(3_000)))).rejects.toMatchObject(refused);
    await expect(store.addEvalCase(key, evalCase("x", "x".repeat(3_000)))).rejects.toMatchObject(refused);
    expect(await stored()).toBe(withCase + 9 * 16);
    await store.deleteEvalCase({ ...key, evalId: "rome" });
    expect(await stored()).toBe(empty);
    await store.deleteEvalSet(key);
    expect(await stored()).toBe(0);
    await dispose();
  });
}
