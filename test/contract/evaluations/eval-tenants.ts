import { describe, expect, it } from "vitest";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { type EvalStoreContract, evalCase, evalSetResult } from "./eval-store.ts";

const APP = { appName: "app" };
const ACME = { tenantId: "acme", ...APP };
const SET = { ...APP, evalSetId: "smoke" };
const ACME_SET = { ...ACME, evalSetId: "smoke" };

/** Stores of evaluations keep two tenants with the same app, set, case and result names apart. */
export function evalTenantsContract({ create }: EvalStoreContract): void {
  const withStore = (test: (store: EvalStore) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  describe("evaluations of two tenants with the same names", () => {
    it(
      "are created, listed, changed and deleted apart from each other",
      withStore(async (store) => {
        await store.createEvalSet({ ...SET, evalCases: [evalCase("rome")] });
        expect(await store.getEvalSet(ACME_SET)).toBeUndefined();
        expect(await store.listEvalSets(ACME)).toEqual([]);
        await expect(store.addEvalCase(ACME_SET, evalCase("rome"))).rejects.toMatchObject({
          reason: "EVAL_SET_NOT_FOUND",
        });
        await store.createEvalSet({ ...ACME_SET, evalCases: [evalCase("rome", "of acme")] });
        await store.addEvalCase(ACME_SET, evalCase("oslo"));
        await store.updateEvalCase(ACME_SET, evalCase("rome", "changed"));
        expect(await store.listEvalCases(SET)).toEqual(["rome"]);
        expect(await store.getEvalCase({ ...SET, evalId: "rome" })).toEqual(evalCase("rome"));
        expect(await store.getEvalCase({ ...ACME_SET, evalId: "rome" })).toEqual(evalCase("rome", "changed"));
        await store.deleteEvalCase({ ...ACME_SET, evalId: "rome" });
        await store.deleteEvalSet({ ...SET, tenantId: "default" });
        expect(await store.listEvalSets(APP)).toEqual([]);
        expect(await store.listEvalCases(ACME_SET)).toEqual(["oslo"]);
      }),
    );

    it(
      "have their own results",
      withStore(async (store) => {
        await store.saveEvalSetResult(ACME, evalSetResult("r"));
        expect(await store.listEvalSetResults(APP)).toEqual([]);
        expect(await store.getEvalSetResult(APP, "r")).toBeUndefined();
        await store.saveEvalSetResult(APP, evalSetResult("r", { evalCaseResults: [] }));
        expect(await store.getEvalSetResult(ACME, "r")).toEqual(evalSetResult("r"));
        expect(await store.listEvalSetResults(ACME)).toEqual(["r"]);
      }),
    );

    it(
      "are not evaluations of apps that are named like a tenant's place",
      withStore(async (store) => {
        await store.createEvalSet(ACME_SET);
        await store.saveEvalSetResult(ACME, evalSetResult("r"));
        for (const appName of ["tenants", "acme", "_tenants", ".tenants", "tenants/acme", "tenants/acme/app"]) {
          expect(await store.listEvalSets({ appName })).toEqual([]);
          expect(await store.listEvalSetResults({ appName })).toEqual([]);
        }
      }),
    );

    it(
      "refuse an invalid tenant",
      withStore(async (store) => {
        for (const tenantId of ["", "..", "a/b", "A"]) {
          const refused = { reason: "INVALID_IDENTIFIER", details: { field: "tenantId" } };
          await expect(store.listEvalSets({ ...APP, tenantId })).rejects.toMatchObject(refused);
          await expect(store.createEvalSet({ ...SET, tenantId })).rejects.toMatchObject(refused);
          await expect(store.getEvalSet({ ...SET, tenantId })).rejects.toMatchObject(refused);
          await expect(store.getEvalSetResult({ ...APP, tenantId }, "r")).rejects.toMatchObject(refused);
        }
      }),
    );
  });
}
