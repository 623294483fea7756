import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { callModel } from "#kit/llm-agent/model-call/call-model.ts";

/**
 * Calls the model once, as for an agent: with the plugins' callbacks, the limits of the run and a span. Returns the
 * complete answer, which is not stored. Throws the model's failure.
 */
export async function askModel(
  agent: BaseLlmAgent,
  context: InvocationContext,
  request: ToolLlmRequest,
): Promise<Event> {
  await context.recorded();
  context.signal.throwIfAborted();
  const call = callModel({ agent, context, request, turn: { isFixRequested: false } });
  for (;;) {
    const next = await call.next();
    if (next.done === true) return next.value;
  }
}
