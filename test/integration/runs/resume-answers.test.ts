import { describe, expect, it } from "vitest";
import { BaseCodeExecutor } from "#kit/code-executors/base-code-executor.ts";
import type { CodeExecutionResult } from "#kit/core/code-executor.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { CutWorld } from "#test/helpers/worlds/cut-runs.ts";

/** The answer of a model whose only input is the prompt. */
function thinking(decide: (request: LlmRequest) => string | LlmResponse): ScriptedModel {
  return new ScriptedModel([decide], { repeatLast: true });
}

const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const options = { name: "helper", outputSchema, outputKey: "answer" };
const says = ({ contents }: LlmRequest, text: string) => JSON.stringify(contents).includes(text);

const look = new FunctionTool({ name: "look", description: "Looks.", idempotent: true, execute: () => "seen" });
const AGENTS: Readonly<Record<string, () => LlmAgent>> = {
  "an answer given by a tool": () =>
    new LlmAgent({
      ...options,
      tools: [look],
      model: thinking((request) =>
        says(request, '"result":"seen"')
          ? functionCallResponse("set_model_response", { n: 1 })
          : functionCallResponse("look"),
      ),
    }),
  "an answer that the model had to fix": () =>
    new LlmAgent({ ...options, model: thinking((request) => (says(request, "does not fit") ? '{"n":1}' : "one")) }),
};

async function outcomeOf(createAgent: () => LlmAgent, cuts: Parameters<CutWorld["run"]>[1]) {
  const world = new CutWorld(createAgent);
  const writes = await world.run("go", cuts);
  const { events, state } = await world.session();
  return { writes, outcome: { events: events.map(brief), state } };
}

describe("a run that is cut off", () => {
  it.each(Object.entries(AGENTS))("gives the same answer, wherever the cut is: %s", async (_, createAgent) => {
    const { writes, outcome } = await outcomeOf(createAgent, []);
    expect(outcome.state).toEqual({ answer: { n: 1 } });
    for (let write = 1; write <= writes; write += 1) {
      for (const when of ["before", "after"] as const) {
        const cut = await outcomeOf(createAgent, [{ write, when }]);
        expect(cut.outcome, `cut ${when} write ${write} of ${writes}`).toEqual(outcome);
      }
    }
  });

  it("does not run code again by itself: the model, which sees no result, decides", async () => {
    const runs: string[] = [];
    class Counting extends BaseCodeExecutor {
      override async executeCode({ code }: { readonly code: string }): Promise<CodeExecutionResult> {
        runs.push(code);
        return { stdout: "42\n", stderr: "", outputFiles: [] };
      }
    }
    const createAgent = () =>
      new LlmAgent({
        name: "helper",
        codeExecutor: new Counting(),
        model: thinking((request) => {
          if (says(request, "Code execution result")) return "It is 42.";
          return says(request, "print(6*7)") ? "The result was lost." : "```python\nprint(6*7)\n```";
        }),
      });
    const { writes } = await outcomeOf(createAgent, []);
    const answers = new Set<string>();
    for (let write = 1; write <= writes; write += 1) {
      for (const when of ["before", "after"] as const) {
        runs.length = 0;
        const { outcome } = await outcomeOf(createAgent, [{ write, when }]);
        expect(runs).toEqual(runs.length === 0 ? [] : ["print(6*7)"]);
        answers.add(outcome.events.at(-1) ?? "");
      }
    }
    expect([...answers].toSorted()).toEqual(["helper: It is 42.", "helper: The result was lost."]);
  });
});
