import { expect, it } from "vitest";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { AppScope } from "#kit/names/app-scope.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { evalCase } from "#test/contract/evaluations/eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

/** A store that stores results late. */
class SlowEvalStore extends InMemoryEvalStore {
  readonly isSaving = Promise.withResolvers<void>();
  readonly mayContinue = Promise.withResolvers<void>();
  stored = 0;

  override async saveEvalSetResult(app: AppScope, result: EvalSetResult): Promise<void> {
    this.isSaving.resolve();
    await this.mayContinue.promise;
    await super.saveEvalSetResult(app, result);
    this.stored += 1;
  }
}

it("a result that a worker is storing during the deletion of its tenant is deleted too", async () => {
  verifies("tenants:delete:evaluations");
  const evalStore = new SlowEvalStore({ clock });
  await evalStore.createEvalSet({ appName: "echo", evalSetId: "smoke", evalCases: [evalCase("rome")] });
  const memoryService = new InMemoryMemoryService({ clock, ids: new SequentialIds() });
  const userCredentials = new InMemoryCredentialService({ clock });
  await using world = await startGateway({ clock, deps: { evalStore, memoryService, userCredentials } });
  const payload = { appName: "echo", evalSetId: "smoke" };
  const { jobId } = (await world.gateway.inject({ method: "POST", url: "/v1/evals", payload })).json();
  await evalStore.isSaving.promise;
  const deletion = world.gateway.inject({ method: "DELETE", url: "/v1/tenants/default?confirm=default" });
  await expect
    .poll(async () => (await world.gateway.inject(`/v1/evals/${jobId}`)).json())
    .toMatchObject({ status: "running", cancelRequested: true });
  evalStore.mayContinue.resolve();
  expect((await deletion).json()).toMatchObject({ isDone: true, deleted: { evaluationJobs: 1, evaluations: 2 } });
  expect(evalStore.stored).toBe(1);
  expect(await evalStore.listEvalSetResults({ appName: "echo" })).toEqual([]);
});
