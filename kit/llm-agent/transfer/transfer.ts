import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import { transferTargets } from "./transfer-targets.ts";
import { TRANSFER_TOOL_NAME, TransferToAgentTool } from "./transfer-to-agent-tool.ts";

interface Transfer {
  readonly tool: TransferToAgentTool;
  readonly instruction: string;
}

/** An agent's targets never change, so the tool and the instruction are created once for each agent. */
const transfers = new WeakMap<BaseLlmAgent, Transfer | "none">();

/** Adds the tool and the instruction for transfers to other agents. */
export function transfer({ agent, request }: RequestStep): void {
  let known = transfers.get(agent);
  if (known === undefined) {
    known = createTransfer(agent);
    transfers.set(agent, known);
  }
  if (known === "none") return;
  request.appendInstructions(known.instruction);
  request.appendTools(known.tool);
}

function createTransfer(agent: BaseLlmAgent): Transfer | "none" {
  const targets = transferTargets(agent);
  if (targets.length === 0) return "none";
  return { tool: new TransferToAgentTool(targets), instruction: instructionFor(agent, targets) };
}

function instructionFor(agent: BaseLlmAgent, targets: readonly BaseAgent[]): string {
  const lines = targets.map((target) => `Agent name: ${target.name}\nAgent description: ${target.description}`);
  const toParent = targets.find((target) => target === agent.parentAgent);
  return [
    "You can hand the conversation over to these other agents:",
    ...lines,
    `If one of them is better suited to the question by its description, call the function \`${TRANSFER_TOOL_NAME}\` with its name and say nothing else. ` +
      "If you are best suited yourself, answer.",
    ...(toParent === undefined
      ? []
      : [`If neither you nor the others fit, hand over to your parent agent ${toParent.name}.`]),
  ].join("\n\n");
}
