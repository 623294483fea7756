import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { ResponseProcessor, StepContext } from "#kit/llm-agent/base/step-context.ts";
import { codeExecutionResponse } from "#kit/llm-agent/code-execution/code-execution.ts";
import { outputSchemaResponse } from "#kit/llm-agent/output/output-schema.ts";
import { planningResponse } from "#kit/llm-agent/request/planning.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/**
 * The processors of an answer, in order. Code comes first, because planning turns the text around it into thoughts,
 * whose code is not run. The output is checked last, because planning decides which text is the answer.
 */
const RESPONSE_PROCESSORS: readonly ResponseProcessor[] = [
  codeExecutionResponse,
  planningResponse,
  outputSchemaResponse,
];

const processorsOf = new WeakMap<BaseLlmAgent, readonly ResponseProcessor[]>();

/** The processors that the agent uses, cached because a stream has thousands of chunks. Most agents use none. */
function processors(agent: BaseLlmAgent): readonly ResponseProcessor[] {
  const known = processorsOf.get(agent);
  if (known !== undefined) return known;
  const used = RESPONSE_PROCESSORS.filter((processor) => processor.applies(agent));
  processorsOf.set(agent, used);
  return used;
}

/** The response that becomes an event; a promise only if a processor returns one. */
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

/** The events that follow the answer before its calls are run; undefined if there are none. */
export function followUp(step: StepContext, answer: Event): AsyncIterable<Event> | undefined {
  for (const processor of processors(step.agent)) {
    const events = processor.followUp?.(step, answer);
    if (events !== undefined) return events;
  }
  return undefined;
}
