import { expect, it } from "vitest";
import { z } from "zod";
import { BaseCodeExecutor } from "#kit/code-executors/base-code-executor.ts";
import type { CodeExecutionResult } from "#kit/core/code-executor.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { PlanReActPlanner } from "#kit/llm-agent/planners/plan-re-act-planner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

class Six extends BaseCodeExecutor {
  override async executeCode(): Promise<CodeExecutionResult> {
    return { stdout: "42\n", stderr: "", outputFiles: [] };
  }
}

it("an answer passes callbacks, code execution, planning, the output schema and the output key, in this order", async () => {
  verifies("what-the-service-does:response-processor-order");
  const model = new ScriptedModel([
    "/*ACTION*/Compute.\n```python\nprint(CODE)\n```\n/*FINAL_ANSWER*/41",
    '/*REASONING*/Half./*FINAL_ANSWER*/{"a":"forty"}',
    '/*REASONING*/Whole./*FINAL_ANSWER*/{"a":42}',
  ]);
  const agent = new LlmAgent({
    name: "helper",
    model,
    planner: new PlanReActPlanner(),
    codeExecutor: new Six(),
    outputSchema: z.object({ a: z.number() }),
    outputKey: "said",
    afterModelCallback: (_context, response) => JSON.parse(JSON.stringify(response).replace("CODE", "6*7")),
  });
  const world = await createAgentWorld(agent);
  const events = await world.run("go");
  expect(events.map(({ content }) => content?.parts)).toEqual([
    // The callback's code is run. What follows it is planning, so it is not an answer that the schema refuses.
    [{ text: "Compute.\n", thought: true }, { executableCode: { code: "print(6*7)", language: "PYTHON" } }],
    [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "Code execution result:\n42\n\n" } }],
    // Only the text that planning calls the answer is checked and stored.
    [{ text: "Half.", thought: true }, { text: '{"a":"forty"}' }],
    [{ text: expect.stringContaining("expected number") }],
    [{ text: "Whole.", thought: true }, { text: '{"a":42}' }],
  ]);
  expect((await world.session()).state).toMatchObject({ said: { a: 42 } });
});
