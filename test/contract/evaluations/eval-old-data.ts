import { describe } from "vitest";
import { inTenant } from "#kit/names/tenant.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { oldDataContract } from "../tenants/old-data.ts";
import { type EvalStoreContract, evalSetResult } from "./eval-store.ts";

const RESULT = { appName: "app", id: "r" };

/** Results of evaluations by their age. */
export function evalOldDataContract({ create }: EvalStoreContract): void {
  describe("results by their age", () => {
    oldDataContract<EvalStore>({
      create: async () => {
        verifies("retention:results");
        return create();
      },
      put: (store, { tenantId, appName, id, timeMs }) =>
        store.saveEvalSetResult(
          { ...inTenant(tenantId), appName },
          evalSetResult(id, { creationTimestamp: timeMs / 1000 }),
        ),
      isThere: async (store, { tenantId, appName, id }) =>
        (await store.getEvalSetResult({ ...inTenant(tenantId), appName }, id)) !== undefined,
      names: [
        RESULT,
        { ...RESULT, tenantId: "acme" },
        { ...RESULT, id: "Ä r" },
        { ...RESULT, id: "x".repeat(500) },
        { ...RESULT, appName: "other/app" },
        { ...RESULT, tenantId: "globex", appName: "web" },
      ],
    });
  });
}
