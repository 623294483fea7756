import type { AgentNode } from "#kit/core/context/agent-node.ts";
import type { Event } from "#kit/events/event.ts";

/** Whether the event is an escalation by an agent below this one that no agent between the two catches. */
export function escalatesTo(agent: AgentNode, { actions, author }: Event): boolean {
  if (actions.escalate !== true) return false;
  let node = agent.findSubAgent(author);
  while (node !== undefined && node !== agent && !node.catchesEscalation) node = node.parentAgent;
  return node === agent;
}
