import type { Instruction } from "#kit/agents/instruction.ts";
import { isLlmAgent } from "#kit/agents/is-llm-agent.ts";
import { ReadonlyContext } from "#kit/agents/readonly-context.ts";
import type { StepContext } from "../step-context.ts";
import { fillTemplate } from "../template.ts";

/** The root's global instruction, then the agent's own. */
export async function instructions({ agent, context, request }: StepContext): Promise<void> {
  const root = agent.rootAgent;
  const global = isLlmAgent(root) ? root.globalInstruction : undefined;
  if (global === undefined && agent.instruction === undefined) return;
  const readonlyContext = new ReadonlyContext(context);
  if (global !== undefined) request.appendInstructions(await textFor(global, readonlyContext));
  if (agent.instruction !== undefined) request.appendInstructions(await textFor(agent.instruction, readonlyContext));
}

async function textFor(instruction: Instruction, context: ReadonlyContext): Promise<string> {
  return instruction.kind === "provider" ? instruction.provide(context) : fillTemplate(instruction.text, context);
}
