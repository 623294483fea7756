import { describe, expect, it } from "vitest";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { concurrencyOf } from "./execute-tools.ts";
import { runInOrder } from "./run-in-order.ts";
import { MAX_PARALLEL_CALLS } from "./tool-limits.ts";

/** Starts and ends in order; each item waits until all that may run with it have started. */
async function logOf(items: readonly string[], maxParallel: number): Promise<readonly string[]> {
  const log: string[] = [];
  const order = { isAlone: (item: string) => item.startsWith("alone"), maxParallel };
  const results = await runInOrder(items, order, async (item) => {
    log.push(`+${item}`);
    await new Promise(setImmediate);
    log.push(`-${item}`);
    return item;
  });
  expect(results).toEqual(items);
  return log;
}

describe("items that run in order", () => {
  it("run together, as many as are allowed", async () => {
    expect(await logOf(["a", "b", "c"], 2)).toEqual(["+a", "+b", "-a", "+c", "-b", "-c"]);
    expect(await logOf(["a", "b"], 1)).toEqual(["+a", "-a", "+b", "-b"]);
    expect(await logOf(["a", "b"], 0)).toEqual(["+a", "-a", "+b", "-b"]);
  });

  it("wait for one that has to be alone, and it waits for those before it", async () => {
    const log = await logOf(["a", "alone1", "alone2", "b", "c"], 9);
    expect(log).toEqual(["+a", "-a", "+alone1", "-alone1", "+alone2", "-alone2", "+b", "+c", "-b", "-c"]);
  });
});

describe("the order of calls", () => {
  it("is one at a time only if the run says so", () => {
    const limits = (["NONE", "PARALLEL", "SEQUENTIAL"] as const).map(
      (toolExecutionMode) => concurrencyOf(createStep({ runConfig: { toolExecutionMode } })).maxParallel,
    );
    expect(limits).toEqual([MAX_PARALLEL_CALLS, MAX_PARALLEL_CALLS, 1]);
  });

  it("lets a call run alone if its tool asks for that", () => {
    const tool = (name: string, parallelSafe: boolean) =>
      new FunctionTool({ name, description: "Works.", parallelSafe, execute: () => 1 });
    const { isAlone } = concurrencyOf(createStep({ tools: [tool("safe", true), tool("alone", false)] }));
    const alone = ["safe", "alone", "unknown"].map((name) => isAlone({ part: { functionCall: { name } } }));
    expect(alone).toEqual([false, true, false]);
  });
});
