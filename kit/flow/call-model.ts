import { CallbackContext } from "../agents/callback-context.ts";
import { StreamingMode } from "../agents/run-config.ts";
import type { Event } from "../events/event.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import { firstAnswer, type Link } from "../plugins/compose.ts";
import { requestAttributes, responseAttributes } from "../telemetry/model-attributes.ts";
import type { ActiveSpan } from "../telemetry/run-trace.ts";
import type { StepContext } from "./step-context.ts";
import { toModelEvent } from "./to-model-event.ts";

/**
 * Calls the model once: callbacks before (which may answer in its place), the call, callbacks on its failure, callbacks after each
 * response. Gives every response as an event: pieces as they come, then the complete one.
 */
export async function* callModel(step: StepContext): AsyncGenerator<Event, void, undefined> {
  const { context, request } = step;
  const call = new ModelCall(step);
  const early = await beforeModel(call);
  if (early !== undefined) {
    yield finishResponse(call, early);
    return;
  }
  context.incrementLlmCallsCount();
  const span = context.span.child("call_llm", requestAttributes(step, call.callbacks.eventId ?? ""));
  let newest: Event | undefined;
  try {
    for await (const response of respond(call)) {
      const answer = (await afterModel(call, response)) ?? response;
      newest = finishResponse(call, keepStreamFields(answer, response));
      span.set("gcp.vertex.agent.event_id", newest.id);
      yield newest;
    }
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    endSpan(span, step, newest);
  }
  if (newest === undefined || newest.partial === true) yield finishResponse(call, noAnswer(request.model));
}

/** One call of the model, and the event under construction. */
class ModelCall {
  readonly step: StepContext;
  #callbacks: CallbackContext | undefined;

  constructor(step: StepContext) {
    this.step = step;
  }

  /** Its actions become those of the next complete event, its id also that of the pieces before: clients match them by it. */
  get callbacks(): CallbackContext {
    const { context } = this.step;
    this.#callbacks ??= new CallbackContext(context, undefined, context.services.ids.next());
    return this.#callbacks;
  }

  /** The next response starts an event of its own. */
  nextEvent(): void {
    this.#callbacks = undefined;
  }
}

async function* respond(call: ModelCall): AsyncIterable<LlmResponse> {
  const { agent, context, request } = call.step;
  try {
    // Live connections come through their own flow; here BIDI streams like SSE.
    const stream = context.runConfig.streamingMode !== StreamingMode.NONE;
    yield* agent.resolveModel().generateContentAsync(request, { stream, signal: context.signal });
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
    const recovered = await onModelError(call, thrown);
    if (recovered === undefined) throw thrown;
    yield recovered;
  }
}

function finishResponse(call: ModelCall, response: LlmResponse): Event {
  const { step } = call;
  const { eventId, eventActions } = call.callbacks;
  const id = eventId ?? step.context.services.ids.next();
  if (response.partial === true) return toModelEvent(step, response, { id });
  call.nextEvent();
  return toModelEvent(step, response, { id, actions: eventActions, outputKey: step.agent.outputKey });
}

/** A replacement of a streamed piece stays a piece, whatever the callback left out. */
function keepStreamFields(answer: LlmResponse, response: LlmResponse): LlmResponse {
  if (answer === response || response.partial === undefined || answer.partial !== undefined) return answer;
  return { ...answer, partial: response.partial };
}

function noAnswer(model: string): LlmResponse {
  return {
    errorCode: "MODEL_RETURNED_NO_CONTENT",
    errorMessage: `The model ${model} ended its stream without an answer.`,
  };
}

async function beforeModel({ callbacks, step }: ModelCall): Promise<LlmResponse | undefined> {
  const { agent, context, request } = step;
  const plugins = context.pluginManager.links("beforeModelCallback");
  if (plugins.length === 0 && agent.beforeModelCallbacks.length === 0) return undefined;
  return firstAnswer(
    "beforeModelCallback",
    [...plugins, ...own(agent.name, agent.beforeModelCallbacks)],
    callbacks,
    request,
  );
}

async function afterModel({ callbacks, step }: ModelCall, response: LlmResponse): Promise<LlmResponse | undefined> {
  const { agent, context } = step;
  const plugins = context.pluginManager.links("afterModelCallback");
  if (plugins.length === 0 && agent.afterModelCallbacks.length === 0) return undefined;
  return firstAnswer(
    "afterModelCallback",
    [...plugins, ...own(agent.name, agent.afterModelCallbacks)],
    callbacks,
    response,
  );
}

async function onModelError({ callbacks, step }: ModelCall, error: Error): Promise<LlmResponse | undefined> {
  const { agent, context, request } = step;
  const plugins = context.pluginManager.links("onModelErrorCallback");
  return firstAnswer(
    "onModelErrorCallback",
    [...plugins, ...own(agent.name, agent.onModelErrorCallbacks)],
    callbacks,
    request,
    error,
  );
}

function own<Call extends Link<never, unknown>["call"]>(
  name: string,
  calls: readonly Call[],
): { owner: string; call: Call }[] {
  return calls.map((call) => ({ owner: `Agent "${name}"`, call }));
}

function endSpan(span: ActiveSpan, step: StepContext, event: Event | undefined): void {
  for (const [key, value] of Object.entries(responseAttributes(step, event))) span.set(key, value);
  span.end();
}
