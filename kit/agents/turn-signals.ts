import type { AgentNode } from "#kit/core/context/agent-node.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { isToolBranch } from "#kit/events/branch.ts";
import type { Event } from "#kit/events/event.ts";
import { OpenCalls } from "../events/open-calls.ts";

/**
 * Whether this branch of the invocation waits for the user's answer to a long-running call that was made after the
 * session's first `since` events. The tool's own response is only an interim result: agents after the caller do not run
 * before the user has answered.
 */
export function waitsForAnswer({ branch, invocationId, session }: InvocationContext, since: number): boolean {
  const calls = new OpenCalls("user");
  for (let index = since; index < session.events.length; index += 1) {
    const event = session.events[index];
    if (event === undefined || event.invocationId !== invocationId) continue;
    const isHere = branch === undefined ? !isToolBranch(event.branch) : isAtOrBelow(event.branch, branch);
    // An answer of the user has no branch.
    if (isHere || event.branch === undefined) calls.watch(event);
  }
  return calls.size > 0;
}

function isAtOrBelow(eventBranch: string | undefined, branch: string): boolean {
  return eventBranch === branch || eventBranch?.startsWith(`${branch}.`) === true;
}

/** Whether the event is an escalation by an agent below this one that no agent between the two catches. */
export function escalatesTo(agent: AgentNode, { actions, author }: Event): boolean {
  if (actions.escalate !== true) return false;
  let node = agent.findSubAgent(author);
  while (node !== undefined && node !== agent && !node.catchesEscalation) node = node.parentAgent;
  return node === agent;
}
