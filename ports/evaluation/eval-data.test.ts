import { expect, it } from "vitest";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { EvalData } from "./eval-data.ts";
import { InMemoryEvalStore } from "./in-memory-eval-store.ts";

const APP = { appName: "app" };
const RESULTS = 250;

/** Counts how often each result is read. */
class CountingStore extends InMemoryEvalStore {
  readonly reads = new Map<string, number>();
  override getEvalSetResult(...[app, name]: Parameters<InMemoryEvalStore["getEvalSetResult"]>) {
    this.reads.set(name, (this.reads.get(name) ?? 0) + 1);
    return super.getEvalSetResult(app, name);
  }
}

function resultOf(number: number): EvalSetResult {
  const id = `result${String(number).padStart(3, "0")}`;
  const caseOf = (userId: string) => ({
    ...{ evalSetId: "set", evalId: userId, finalEvalStatus: 1 as const, sessionId: "s", userId },
    ...{ overallEvalMetricResults: [], evalMetricResultPerInvocation: [] },
  });
  const evalCaseResults = ["bob", ...(number % 2 === 0 ? ["ada"] : [])].map(caseOf);
  return { evalSetResultId: id, evalSetResultName: id, evalSetId: "set", creationTimestamp: 1, evalCaseResults };
}

it("a user's deletion reads each result once, and at most 100 in a step", async () => {
  verifies("tenants:delete:results-once");
  const store = new CountingStore({ clock: new FixedClock(1) });
  for (let number = 0; number < RESULTS; number += 1) await store.saveEvalSetResult(APP, resultOf(number));
  const data = new EvalData(store);
  const steps: unknown[] = [];
  for (let place: { pageToken?: string } | undefined = {}; place !== undefined; ) {
    const before = store.reads.size;
    const step = await data.deleteData({ tenantId: "default", userId: "ada", limit: 500, ...place });
    steps.push([step.deleted, step.isDone, store.reads.size - before]);
    place = step.nextPageToken === undefined ? undefined : { pageToken: step.nextPageToken };
  }
  expect(steps).toEqual([
    [50, false, 100],
    [50, false, 100],
    [25, true, 50],
  ]);
  expect([...store.reads.values()]).toEqual(Array(RESULTS).fill(1));
  const kept = await Promise.all(
    (await store.listEvalSetResults(APP)).map((name) => store.getEvalSetResult(APP, name)),
  );
  expect(kept.map((result) => result?.evalCaseResults.map(({ userId }) => userId))).toEqual(
    Array(RESULTS).fill(["bob"]),
  );
});
