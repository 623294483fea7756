import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Event } from "#kit/events/event.ts";
import {
  isStreamed,
  requestAttributes,
  setResponseAttributes,
  watchedModel,
} from "#kit/llm-agent/base/model-attributes.ts";
import type { Observability } from "#kit/llm-agent/base/model-observability.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import { CallIds } from "./call-ids.ts";
import { checkResponse } from "./check-response.ts";
import { afterModel, beforeModel, onModelError, watches } from "./model-callbacks.ts";
import { processResponse } from "./process-response.ts";
import { toModelEvent } from "./to-model-event.ts";

/**
 * Calls the model once: callbacks before (which may replace the call), the call, callbacks on its failure, callbacks
 * after each response. Yields every response as an event: chunks as they arrive, then the complete answer, which it
 * returns too.
 */
export async function* callModel(step: StepContext): AsyncGenerator<Event, Event, undefined> {
  const { context, request } = step;
  const call = new ModelCall(step);
  const span = context.span.child("call_llm", {});
  call.span = span;
  const early = watches(step, "beforeModelCallback") ? await beforeModel(step, call.callbacks) : undefined;
  if (early !== undefined) {
    const answer = finishResponse(call, early);
    yield answer;
    return answer;
  }
  context.incrementLlmCallsCount();
  const watched = watchedModel(step);
  span.begin(requestAttributes(step, call.callbacks.eventId ?? "", watched));
  let newest: Event | undefined;
  const responses = askModel(step, watched.model);
  try {
    while (!call.hasFailed) {
      // Not in a function of its own: that costs each chunk a promise and turns of the microtask queue.
      let response: LlmResponse;
      try {
        const next = await responses.next();
        if (next.done === true) break;
        if (!call.hasChunk) call.reportFirstChunk(span);
        response = checkResponse(next.value);
      } catch (error) {
        response = await recoveredResponse(call, error);
      }
      const kept = watches(step, "afterModelCallback", response.partial)
        ? await afterModel(step, call.callbacks, response)
        : response;
      const processed = call.hasFailed ? kept : processResponse(step, kept, () => call.callbacks);
      const final = processed instanceof Promise ? await processed : processed;
      if (isWithheld(final)) continue;
      newest = finishResponse(call, final);
      yield newest;
    }
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    await responses.return?.();
    endSpan(span, watched.observability, newest);
  }
  if (newest !== undefined && newest.partial !== true) return newest;
  const failure = finishResponse(call, noAnswer(request.model));
  yield failure;
  return failure;
}

/** One call of the model, and the event under construction. */
class ModelCall {
  readonly step: StepContext;
  /** The model failed and a callback has returned a response instead: it is the last one. */
  hasFailed = false;
  hasChunk = false;
  /** The call's span; what it reports begins when the model is called. */
  span: ActiveSpan | undefined;
  #callbacks: CallbackContext | undefined;
  #callIds: CallIds | undefined;

  constructor(step: StepContext) {
    this.step = step;
  }

  /**
   * Its actions become those of the next complete event. The event and the partial events before it have its id, by
   * which clients match them.
   */
  get callbacks(): CallbackContext {
    const { context } = this.step;
    if (this.#callbacks === undefined) {
      this.#callbacks = new CallbackContext(context, undefined, context.services.ids.next());
      if (this.span !== undefined) this.#callbacks.span = this.span;
    }
    return this.#callbacks;
  }

  get callIds(): CallIds {
    this.#callIds ??= new CallIds(this.step.context.services.ids);
    return this.#callIds;
  }

  /** Reports on the span how long the first chunk of a stream took. */
  reportFirstChunk(span: ActiveSpan): void {
    this.hasChunk = true;
    if (isStreamed(this.step)) span.set("gen_ai.response.time_to_first_chunk", span.elapsedMs / 1000);
  }

  /** The next response starts an event of its own. */
  nextEvent(): void {
    this.#callbacks = undefined;
    this.#callIds = undefined;
  }
}

function askModel(step: StepContext, model: BaseLlm): AsyncIterator<LlmResponse> {
  const { context, request } = step;
  const { signal, services } = context;
  const answers = context
    .metered(model)
    .generateContentAsync(request, { stream: isStreamed(step), signal, logger: services.logger });
  return answers[Symbol.asyncIterator]();
}

/** The response of a callback in place of the model's failure, which is thrown if there is none. */
async function recoveredResponse(call: ModelCall, error: unknown): Promise<LlmResponse> {
  const { signal } = call.step.context;
  if (signal.aborted) throw signal.reason;
  const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
  const recovered = await onModelError(call.step, call.callbacks, thrown);
  if (recovered === undefined) throw thrown;
  call.hasFailed = true;
  return recovered;
}

function finishResponse(call: ModelCall, response: LlmResponse): Event {
  const { step } = call;
  const { callIds, callbacks } = call;
  const { eventId, eventActions } = callbacks;
  const id = eventId ?? step.context.services.ids.next();
  if (response.partial === true) return toModelEvent(step, response, { id, callIds });
  if (response.usageMetadata !== undefined) step.context.addUsage(response.usageMetadata);
  call.nextEvent();
  return toModelEvent(step, response, { id, callIds, actions: eventActions, outputKey: step.agent.outputKey });
}

/** Whether a processor has withheld the chunk; the complete answer brings its text. */
function isWithheld({ partial, content }: LlmResponse): boolean {
  return partial === true && content?.parts?.length === 0;
}

function noAnswer(model: string): LlmResponse {
  return {
    errorCode: "MODEL_RETURNED_NO_CONTENT",
    errorMessage: `The model ${model} ended its stream without an answer.`,
  };
}

function endSpan(span: ActiveSpan, observability: Observability, event: Event | undefined): void {
  // A span that does not end is never recorded.
  if (!observability.enabled) return;
  if (event !== undefined) span.set("gcp.vertex.agent.event_id", event.id);
  setResponseAttributes(span, observability, event);
  span.end();
}
