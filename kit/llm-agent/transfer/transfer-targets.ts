import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";

/**
 * The agents to which this one may transfer: those below it, its parent and its siblings, as far as its settings allow.
 */
export function transferTargets(agent: BaseLlmAgent): readonly BaseAgent[] {
  const parent = agent.parentAgent;
  if (!isLlmAgent(parent)) return agent.subAgents;
  return [
    ...agent.subAgents,
    ...(agent.disallowTransferToParent ? [] : [parent]),
    ...(agent.disallowTransferToPeers ? [] : parent.subAgents.filter((peer) => peer !== agent)),
  ];
}
