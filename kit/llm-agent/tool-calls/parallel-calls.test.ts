import { expect, it } from "vitest";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { callsThatRunAtOnce } from "./parallel-calls.ts";
import { MAX_PARALLEL_CALLS } from "./tool-limits.ts";

it("runs calls one at a time only if the run says so", () => {
  const limits = (["NONE", "PARALLEL", "SEQUENTIAL"] as const).map(
    (toolExecutionMode) => callsThatRunAtOnce(createStep({ runConfig: { toolExecutionMode } })).maxParallel,
  );
  expect(limits).toEqual([MAX_PARALLEL_CALLS, MAX_PARALLEL_CALLS, 1]);
});

it("runs a call alone if its tool asks for that", () => {
  const tool = (name: string, parallelSafe: boolean) =>
    new FunctionTool({ name, description: "Works.", parallelSafe, execute: () => 1 });
  const { isAlone } = callsThatRunAtOnce(createStep({ tools: [tool("safe", true), tool("alone", false)] }));
  const alone = ["safe", "alone", "unknown"].map((name) => isAlone({ part: { functionCall: { name } } }));
  expect(alone).toEqual([false, true, false]);
});
