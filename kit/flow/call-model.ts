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
  const early = watches(step, "beforeModelCallback") ? await beforeModel(call) : undefined;
  if (early !== undefined) {
    yield finishResponse(call, early);
    return;
  }
  context.incrementLlmCallsCount();
  const span = context.span.child("call_llm", requestAttributes(step, call.callbacks.eventId ?? ""));
  let newest: Event | undefined;
  const responses = askModel(step);
  try {
    for (;;) {
      const response = await nextResponse(call, responses);
      if (response === undefined) break;
      const replaced = watches(step, "afterModelCallback") ? await afterModel(call, response) : undefined;
      newest = finishResponse(call, replaced === undefined ? response : keepStreamFields(replaced, response));
      yield newest;
    }
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    await responses.return?.();
    endSpan(span, step, newest);
  }
  if (newest === undefined || newest.partial === true) yield finishResponse(call, noAnswer(request.model));
}

/** One call of the model, and the event under construction. */
class ModelCall {
  readonly step: StepContext;
  /** The model failed and a callback has answered in its place: nothing follows. */
  hasFailed = false;
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

function askModel({ agent, context, request }: StepContext): AsyncIterator<LlmResponse> {
  // Live connections come through their own flow; here BIDI streams like SSE.
  const stream = context.runConfig.streamingMode !== StreamingMode.NONE;
  const answers = agent.resolveModel().generateContentAsync(request, { stream, signal: context.signal });
  return answers[Symbol.asyncIterator]();
}

/** What the model says next, or what a callback says in its place when it fails; undefined at the end. */
async function nextResponse(call: ModelCall, responses: AsyncIterator<LlmResponse>): Promise<LlmResponse | undefined> {
  if (call.hasFailed) return undefined;
  try {
    const { done, value } = await responses.next();
    return done === true ? undefined : value;
  } catch (error) {
    const { signal } = call.step.context;
    if (signal.aborted) throw signal.reason;
    const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
    const recovered = await onModelError(call, thrown);
    if (recovered === undefined) throw thrown;
    call.hasFailed = true;
    return recovered;
  }
}

/** Whether anybody has that hook: pieces come by the thousand, and a chain of nobody costs turns of the microtask queue. */
function watches({ agent, context }: StepContext, hook: "beforeModelCallback" | "afterModelCallback"): boolean {
  const own = hook === "beforeModelCallback" ? agent.beforeModelCallbacks : agent.afterModelCallbacks;
  return own.length > 0 || context.pluginManager.links(hook).length > 0;
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
  if (event !== undefined) span.set("gcp.vertex.agent.event_id", event.id);
  for (const [key, value] of Object.entries(responseAttributes(step, event))) span.set(key, value);
  span.end();
}
