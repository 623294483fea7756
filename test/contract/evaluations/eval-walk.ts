import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { CONTRACT_TIME_MS, type EvalStoreContract, evalCase, evalSetResult } from "./eval-store.ts";

const STEPS = 150;

/** Random calls with few names, in two tenants: each is answered as by the store in memory. */
export function evalWalkContract({ create }: EvalStoreContract): void {
  it("random calls are answered as by the store in memory", async () => {
    const { service, dispose } = await create();
    try {
      const [random, other] = [new SeededRandom(TEST_SEED), new SeededRandom(TEST_SEED)];
      const expected = new InMemoryEvalStore({ clock: new FixedClock(CONTRACT_TIME_MS) });
      for (let step = 0; step < STEPS; step += 1)
        expect(await takeStep(service, random), `step ${step}`).toEqual(await takeStep(expected, other));
    } finally {
      await dispose();
    }
  });
}

async function takeStep(service: EvalStore, random: SeededRandom): Promise<readonly unknown[]> {
  const [name, call] = random.pick(callsOf(service, random));
  try {
    return [name, await call()];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [name, error.reason];
  }
}

function callsOf(service: EvalStore, random: SeededRandom): readonly (readonly [string, () => Promise<unknown>])[] {
  const maybe = <Value>(value: Value): Value | undefined => (random.between(0, 1) === 0 ? value : undefined);
  const app = {
    ...(random.between(0, 2) === 0 && { tenantId: "acme" }),
    appName: random.pick(["shop", "shop", "desk"]),
  };
  const key = { ...app, evalSetId: random.pick(["a", "b", "c d"]) };
  const one = evalCase(random.pick(["x", "y", "z/1"]), `question ${random.between(0, 9)}`);
  const caseKey = { ...key, evalId: one.evalId };
  const result = evalSetResult(random.pick(["r1", "r2", "r/3"]));
  const description = maybe("Described.");
  const created = {
    ...key,
    name: "A set",
    evalCases: maybe([one]) ?? [],
    ...(description !== undefined && { description }),
  };
  const limit = maybe({ maxBytes: random.pick([1, 100_000]) });
  const isRemoved = random.between(0, 3) === 0;
  const after = maybe(random.pick(["a", "r1"]));
  return [
    ["createEvalSet", () => service.createEvalSet(created)],
    ["listEvalSets", () => service.listEvalSets(app, after)],
    ["getEvalSet", () => service.getEvalSet(key, limit)],
    ["deleteEvalSet", async () => (isRemoved ? service.deleteEvalSet(key) : undefined)],
    ["listEvalCases", () => service.listEvalCases(key, limit)],
    ["getEvalCase", () => service.getEvalCase(caseKey, limit)],
    ["addEvalCase", () => service.addEvalCase(key, one)],
    ["addEvalCase", () => service.addEvalCase(key, one)],
    ["updateEvalCase", () => service.updateEvalCase(key, one)],
    ["deleteEvalCase", async () => (isRemoved ? service.deleteEvalCase(caseKey) : undefined)],
    ["saveEvalSetResult", () => service.saveEvalSetResult(app, result)],
    ["listEvalSetResults", () => service.listEvalSetResults(app, after)],
    ["getEvalSetResult", () => service.getEvalSetResult(app, result.evalSetResultId, limit)],
  ];
}
