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

/** Runs another agent within the same invocation; `past` has the events of its turn if that is resumed. */
export function transferToAgent({ agent, context }: Transfer, name: string, past?: PastTurn): AsyncIterable<Event> {
  context.costs.countTransfer();
  // The rest of this agent's own past does not belong to the other agent.
  return transferTarget(agent, name).runAsync(context.forPart({ past }));
}

/** The agent of that name, if this one may transfer to it. Throws `AGENT_NOT_FOUND`. */
export function transferTarget(agent: BaseLlmAgent, name: string): BaseAgent {
  const target = transferTargets(agent).find((candidate) => candidate.name === name);
  if (target !== undefined) return target;
  throw new PlatformError(
    "AGENT_NOT_FOUND",
    `Agent "${agent.name}" may not hand over to "${name}": it is not a sub-agent, parent or peer of it.`,
  );
}
