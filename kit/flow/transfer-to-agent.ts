import { PlatformError } from "../errors/platform-error.ts";
import type { Event } from "../events/event.ts";
import type { StepContext } from "./step-context.ts";
import { transferTargets } from "./transfer-targets.ts";

/** Goes on as another agent, within the same invocation. Tools may only name agents that this one may hand over to. */
export function transferToAgent({ agent, context }: StepContext, name: string): AsyncIterable<Event> {
  const target = transferTargets(agent).find((candidate) => candidate.name === name);
  if (target === undefined) {
    throw new PlatformError(
      "AGENT_NOT_FOUND",
      `Agent "${agent.name}" may not hand over to "${name}": it is no sub-agent, parent or peer of it.`,
    );
  }
  return target.runAsync(context);
}
