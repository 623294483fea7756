import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { PastTurn } from "#kit/core/context/past-turn.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { transferTargets } from "./transfer-targets.ts";

interface Transfer {
  readonly agent: BaseLlmAgent;
  readonly context: InvocationContext;
}

/**
 * Goes on as another agent, within the same invocation; with what that one had done already, when a turn is taken up
 * again.
 */
export function transferToAgent({ agent, context }: Transfer, name: string, past?: PastTurn): AsyncIterable<Event> {
  context.costs.countTransfer();
  // What is left of this agent's own past is nothing to the other one.
  return transferTarget(agent, name).runAsync(context.forPart({ past }));
}

/** The agent of that name, if this one may hand over to it. Throws `AGENT_NOT_FOUND`. */
export function transferTarget(agent: BaseLlmAgent, name: string): BaseAgent {
  const target = transferTargets(agent).find((candidate) => candidate.name === name);
  if (target !== undefined) return target;
  throw new PlatformError(
    "AGENT_NOT_FOUND",
    `Agent "${agent.name}" may not hand over to "${name}": it is no sub-agent, parent or peer of it.`,
  );
}
