import { expect, it } from "vitest";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { evalCase } from "#test/contract/evaluations/eval-store.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { startEvaluation } from "./start-evaluation.ts";

const KEY = { appName: "echo", evalSetId: "smoke" };
const REQUEST = { evalIds: [], evalMetrics: [] };

it("a user whose data is being deleted starts no evaluation, and other users do", async () => {
  verifies("tenants:delete:evaluations");
  await using world = await startGateway();
  const evalStore = new InMemoryEvalStore({ clock: world.deps.clock });
  const tenants = ["default", "acme"];
  for (const tenantId of tenants) await evalStore.createEvalSet({ ...KEY, tenantId, evalCases: [evalCase("rome")] });
  const deps = { ...world.deps, evalStore, evalJobs: inMemoryEvalJobs(), unguarded: world.deps };
  const startBy = (tenantId: string, userId: string): Promise<string> =>
    inCallScope({ principal: { tenantId, userId, scopes: [] } }, () =>
      startEvaluation(deps, { ...KEY, tenantId }, REQUEST, { keyId: undefined, idempotencyKey: undefined }).then(
        ({ status }) => status,
        (error) => error.reason,
      ),
    );
  await world.store.beginDeletion({ tenantId: "default", userId: "ada" });
  const outcomes = [];
  for (const tenantId of tenants)
    for (const userId of ["ada", "bob"]) outcomes.push([tenantId, userId, await startBy(tenantId, userId)]);
  expect(outcomes).toEqual([
    ["default", "ada", "DATA_IN_DELETION"],
    ["default", "bob", "queued"],
    ["acme", "ada", "queued"],
    ["acme", "bob", "queued"],
  ]);
});
