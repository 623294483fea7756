import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";

/** The agents that scenarios call by these names. */
export function scenarioAgents(): readonly LlmAgent[] {
  return [
    agentOf("test_simple_text", () => "This is a simple text response for testing."),
    agentOf("test_error_handling", () => new Error("This tool intentionally returns an error for testing.")),
    agentOf("test_logging_tool", () => "Nothing is logged to the client."),
    agentOf("test_tool_with_progress", callOnce("work"), [WORK]),
    ...["elicitation", "request_state", "tampered_state"].map((name) =>
      agentOf(`test_input_required_result_${name}`, callOnce("ask"), [askFor(["ok"])]),
    ),
    agentOf("test_streaming_elicitation", callOnce("ask"), [askFor(["ok"])]),
    agentOf("test_input_required_result_multi_round", callOnce("ask"), [askFor(["name", "color"])]),
  ];
}

function agentOf(name: string, step: ScriptedStep, tools: readonly FunctionTool[] = []): LlmAgent {
  const model = new ScriptedModel([step], { repeatLast: true });
  return new LlmAgent({ name, description: `Answers the scenario of ${name}.`, model, tools });
}

/** Calls the tool, and answers a text when it has a result. */
function callOnce(tool: string): ScriptedStep {
  return ({ contents }) =>
    contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse !== undefined) === true
      ? "It is done."
      : functionCallResponse(tool);
}

const WORK = new FunctionTool({ name: "work", description: "Works.", execute: () => ({ worked: true }) });

/** Asks for each field, one question after the other. */
function askFor(fields: readonly string[]): FunctionTool {
  return new FunctionTool({
    name: "ask",
    description: "Asks the user.",
    execute: (_args, context) => {
      const asked = context.toolInput?.request.state;
      const next = typeof asked === "number" ? asked + 1 : 0;
      const field = fields[next];
      if (field === undefined) return { answered: fields.length };
      const responseSchema = { type: "object", properties: { [field]: { type: "string" } } };
      return context.requestInput({ message: `What is your ${field}?`, responseSchema, state: next });
    },
  });
}
