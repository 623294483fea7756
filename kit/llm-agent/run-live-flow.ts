import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { credentialAnswerRefused, type LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { type Event, functionCalls, USER_AUTHOR } from "#kit/events/event.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { BaseLlmConnection, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { StreamMerge } from "#kit/platform/stream-merge.ts";
import type { BaseLlmAgent } from "./base/base-llm-agent.ts";
import { requestAttributes } from "./base/model-attributes.ts";
import type { StepContext } from "./base/step-context.ts";
import { toLiveEvent } from "./live-event.ts";
import { afterModel, beforeModel, onModelError, watches } from "./model-call/model-callbacks.ts";
import { startTurn } from "./output/check-output.ts";
import { buildRequest } from "./request/build-request.ts";
import { executeTools } from "./tool-calls/execute-tools.ts";
import { transferTarget } from "./transfer/transfer-to-agent.ts";

/**
 * Items of a live connection, from the client, the model and the tools. An absent response means that the model has
 * ended its side.
 */
type LiveItem =
  // Only a notification that the queue has a request, or is closed: requests that this agent does not take are left for
  // the next agent.
  | { readonly kind: "client" }
  | { readonly kind: "model"; readonly response: LlmResponse | undefined }
  | { readonly kind: "tools"; readonly event: Event }
  | { readonly kind: "answered"; readonly answer: Event | undefined };

/**
 * The loop of an LLM agent on a live connection: the client's requests are sent to the model, the model's responses
 * become events, and the tools that it calls run concurrently. It ends when the model's side ends, or a tool transfers
 * to another agent; when the client closes the queue, the connection is closed, which ends the model's side.
 */
export async function* runLiveFlow(
  agent: BaseLlmAgent,
  context: InvocationContext,
): AsyncGenerator<Event, void, undefined> {
  const queue = context.liveRequestQueue;
  if (queue === undefined) throw new PlatformError("LIVE_NOT_SUPPORTED", "A live run needs a LiveRequestQueue.");
  await context.persisted();
  context.signal.throwIfAborted();
  const request = await buildRequest(agent, context);
  const step: StepContext = { agent, context, request, turn: startTurn({ agent, context }) };
  if (watches(step, "beforeModelCallback")) {
    const callbacks = callbacksOf(step);
    const early = await beforeModel(step, callbacks);
    if (early !== undefined) {
      yield toLiveEvent(step, early, callbacks);
      return;
    }
  }
  context.incrementLlmCallsCount();
  const span = context.span.child("call_llm", requestAttributes(step, ""));
  const stop = new AbortController();
  let connection: BaseLlmConnection | undefined;
  let target: string | undefined;
  try {
    connection = await connect(step, AbortSignal.any([context.signal, stop.signal]));
    target = yield* talk({ step, queue, connection, stop: stop.signal });
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    stop.abort();
    await connection?.close();
    span.end();
  }
  if (target !== undefined) yield* transferTarget(agent, target).runLive(context);
}

interface Talk {
  readonly step: StepContext;
  readonly queue: LiveRequestQueue;
  readonly connection: BaseLlmConnection;
  readonly stop: AbortSignal;
}

/** Returns the agent to which a tool has transferred, if one has. */
async function* talk(live: Talk): AsyncGenerator<Event, string | undefined, undefined> {
  const { connection, step } = live;
  const { contents } = step.request;
  if (contents.length > 0) await connection.sendHistory(contents);
  const items = new StreamMerge<LiveItem>();
  items.add(clientItems(live));
  items.add(modelItems(step, connection));
  try {
    return yield* exchange(live, items);
  } finally {
    items.close();
  }
}

/** Runs until the model's side ends, or a tool transfers to another agent. */
async function* exchange(
  live: Talk,
  items: StreamMerge<LiveItem>,
): AsyncGenerator<Event, string | undefined, undefined> {
  const { step, connection } = live;
  const { context } = step;
  for (;;) {
    const item = await items.next();
    context.signal.throwIfAborted();
    if (item === undefined || (item.kind === "model" && item.response === undefined)) return undefined;
    if (item.kind === "answered") {
      const { transferToAgent } = item.answer?.actions ?? {};
      if (transferToAgent !== undefined) return transferToAgent;
      if (item.answer?.content !== undefined) await connection.sendContent(item.answer.content);
      continue;
    }
    const event = await toEvent(live, item);
    if (event !== undefined) yield event;
    // The event is stored now.
    if (item.kind === "client") live.queue.settle(live.queue.taken);
    if (event === undefined) continue;
    if (item.kind === "model" && event.partial !== true && functionCalls(event).length > 0) {
      await context.persisted();
      items.add(toolItems(step, event));
    }
  }
}

async function toEvent(live: Talk, item: Exclude<LiveItem, { kind: "answered" }>): Promise<Event | undefined> {
  const { step } = live;
  switch (item.kind) {
    case "client":
      return passOn(live);
    case "model":
      return item.response === undefined ? undefined : modelEvent(step, item.response);
    case "tools":
      return item.event;
    default:
      return item satisfies never;
  }
}

/** Sends the client's request to the model. Its content becomes an event, unless it answers calls; media does not. */
async function passOn({ connection, queue, step: { context } }: Talk): Promise<Event | undefined> {
  const request = queue.take();
  if (request === undefined) {
    if (queue.isClosed) await connection.close();
    return undefined;
  }
  const realtime = realtimeOf(request);
  if (realtime !== undefined) {
    await connection.sendRealtime(realtime);
    return undefined;
  }
  const { content } = request;
  if (content === undefined) return undefined;
  if (answersCredentialRequest(content, context)) throw credentialAnswerRefused();
  const id = `${context.invocationId}-in-${queue.taken}`;
  // A recovered run may get messages again whose events are stored.
  if (context.isRecovered && context.session.events.some((event) => event.id === id)) return undefined;
  await connection.sendContent(content);
  const answersCalls = content.parts?.some((part) => part.functionResponse !== undefined) === true;
  return answersCalls
    ? undefined
    : context.createEvent({ id, author: USER_AUTHOR, content: { ...content, role: content.role ?? "user" } });
}

function realtimeOf({ activityStart, activityEnd, audioStreamEnd, blob }: LiveRequest): RealtimeInput | undefined {
  if (activityStart === true) return { activityStart };
  if (activityEnd === true) return { activityEnd };
  if (audioStreamEnd === true) return { audioStreamEnd };
  return blob && { blob };
}

/** Whether the content answers the session's request for a credential, by whatever name: it may have secrets. */
function answersCredentialRequest({ parts = [] }: Content, { session }: InvocationContext): boolean {
  const ids = new Set(parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []));
  if (ids.size === 0) return false;
  return session.events
    .flatMap(functionCalls)
    .some(({ id, name }) => name === CREDENTIAL_CALL && id !== undefined && ids.has(id));
}

async function connect(step: StepContext, signal: AbortSignal): Promise<BaseLlmConnection> {
  const model = step.context.metered(step.agent.resolveModel());
  if (model.connect === undefined) {
    throw new PlatformError("LIVE_NOT_SUPPORTED", `The model ${model.model} has no live connection; use runAsync.`);
  }
  return model.connect(step.request, { config: step.context.runConfig, signal });
}

async function* clientItems({ queue, step, stop }: Talk): AsyncGenerator<LiveItem> {
  const signal = AbortSignal.any([step.context.signal, stop]);
  for (;;) {
    let hasMore: boolean;
    try {
      hasMore = await queue.arrives(signal);
    } catch (error) {
      // This agent has transferred: the next one reads the queue. An abort of the run is an error.
      if (stop.aborted) return;
      throw error;
    }
    yield { kind: "client" };
    if (!hasMore) return;
  }
}

async function* modelItems(step: StepContext, connection: BaseLlmConnection): AsyncGenerator<LiveItem> {
  try {
    for await (const response of connection.receive()) yield { kind: "model", response };
  } catch (error) {
    step.context.signal.throwIfAborted();
    const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
    const response = await onModelError(step, callbacksOf(step), thrown);
    if (response === undefined) throw thrown;
    yield { kind: "model", response };
  }
  yield { kind: "model", response: undefined };
}

async function modelEvent(step: StepContext, response: LlmResponse): Promise<Event> {
  const callbacks = callbacksOf(step);
  const watched = watches(step, "afterModelCallback") ? await afterModel(step, callbacks, response) : response;
  return toLiveEvent(step, watched, callbacks);
}

function callbacksOf({ context }: StepContext): CallbackContext {
  return new CallbackContext(context, undefined, context.services.ids.next());
}

/** The events of the tools, and at the end the event that answers the calls once more. */
async function* toolItems(step: StepContext, event: Event): AsyncGenerator<LiveItem> {
  const running = executeTools(step, event);
  for (;;) {
    const { done, value } = await running.next();
    if (done === true) {
      yield { kind: "answered", answer: value };
      return;
    }
    yield { kind: "tools", event: value };
  }
}
