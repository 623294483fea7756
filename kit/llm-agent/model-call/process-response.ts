import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { ResponseProcessor, StepContext } from "#kit/llm-agent/base/step-context.ts";
import { codeExecutionResponse } from "#kit/llm-agent/code-execution/code-execution.ts";
import { outputSchemaResponse } from "#kit/llm-agent/output/output-schema.ts";
import { planningResponse } from "#kit/llm-agent/request/planning.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/**
 * What happens to an answer, in order; code first, for planning turns the text around it into thoughts, whose code is
 * not run. A new share is one more file and one more entry.
 */
const RESPONSE_PROCESSORS: readonly ResponseProcessor[] = [
  codeExecutionResponse,
  planningResponse,
  outputSchemaResponse,
];

const processorsOf = new WeakMap<BaseLlmAgent, readonly ResponseProcessor[]>();

/** Those that the agent uses. Pieces come by the thousand, and most agents use none. */
function processors(agent: BaseLlmAgent): readonly ResponseProcessor[] {
  const known = processorsOf.get(agent);
  if (known !== undefined) return known;
  const used = RESPONSE_PROCESSORS.filter((processor) => processor.applies(agent));
  processorsOf.set(agent, used);
  return used;
}

/** The response that becomes an event; a promise only when a processor needs one. */
export function processResponse(
  step: StepContext,
  response: LlmResponse,
  callbacks: () => CallbackContext,
): LlmResponse | Promise<LlmResponse> {
  let processed: LlmResponse | Promise<LlmResponse> = response;
  for (const processor of processors(step.agent)) {
    const rewrite = (value: LlmResponse) => processor.rewrite(step, value, callbacks());
    processed = processed instanceof Promise ? processed.then(rewrite) : rewrite(processed);
  }
  return processed;
}

/** What follows from the answer before anything else; undefined when nothing does. */
export function followUp(step: StepContext, answer: Event): AsyncIterable<Event> | undefined {
  for (const processor of processors(step.agent)) {
    const events = processor.followUp?.(step, answer);
    if (events !== undefined) return events;
  }
  return undefined;
}
