import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { requestAttributes, watchedModel } from "#kit/llm-agent/base/model-attributes.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { beforeModel, watches } from "#kit/llm-agent/model-call/model-callbacks.ts";
import { toModelEvent } from "#kit/llm-agent/model-call/to-model-event.ts";
import { startTurn } from "#kit/llm-agent/output/check-output.ts";
import { buildRequest } from "#kit/llm-agent/request/build-request.ts";
import { transferTarget } from "#kit/llm-agent/transfer/transfer-to-agent.ts";
import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";
import { StreamMerge } from "#kit/platform/stream-merge.ts";
import type { LiveEnd, LiveItem } from "./live-session.ts";
import { LiveTalk } from "./live-talk.ts";
import { LiveTools } from "./live-tools.ts";
import { answerOpenCalls, continueSession } from "./recovered-session.ts";
import { ResumptionHandle } from "./resumption-handle.ts";
import { declareTaskCompleted } from "./task-completed-tool.ts";

/**
 * The loop of an LLM agent on a live connection: the client's requests are sent to the model, the model's responses
 * become events, and the tools that it calls run concurrently. It ends when the model's side ends, or a tool transfers
 * to another agent; when the client closes the queue, the connection is closed, which ends the model's side. A blocked
 * answer ends only the session at the provider: the next one gets the conversation without it.
 */
export async function* runLiveFlow(
  agent: BaseLlmAgent,
  context: InvocationContext,
): AsyncGenerator<Event, void, undefined> {
  const queue = context.liveRequestQueue;
  if (queue === undefined) throw new PlatformError("LIVE_NOT_SUPPORTED", "A live run needs a LiveRequestQueue.");
  await context.persisted();
  context.signal.throwIfAborted();
  const handle = new ResumptionHandle(context);
  let end: LiveEnd = { kind: "blocked" };
  try {
    yield* answerOpenCalls(agent, context);
    for (let sessions = 0; end.kind === "blocked"; sessions += 1) {
      const step = await prepare(agent, context);
      const early = sessions === 0 ? await answerOfCallbacks(step) : undefined;
      if (early !== undefined) return yield early;
      end = yield* talk(step, { queue, handle, isFirst: sessions === 0 });
      // Another session, of this agent or of another one, does not continue this one.
      if (end.kind !== "ended") await handle.forget();
    }
  } finally {
    await handle.end();
  }
  if (end.kind !== "transferred") return;
  context.costs.countTransfer();
  yield* transferTarget(agent, end.target).runLive(context);
}

async function prepare(agent: BaseLlmAgent, context: InvocationContext): Promise<StepContext> {
  const request = await buildRequest(agent, context);
  declareTaskCompleted({ agent, request });
  return { agent, context, request, turn: startTurn({ agent, context }) };
}

/** The event of a callback that answers in the model's place, before there is a connection. */
async function answerOfCallbacks(step: StepContext): Promise<Event | undefined> {
  if (!watches(step, "beforeModelCallback")) return undefined;
  const { context, agent } = step;
  const callbacks = new CallbackContext(context, undefined, context.services.ids.next());
  const answer = await beforeModel(step, callbacks);
  if (answer === undefined) return undefined;
  const { eventId: id = context.services.ids.next(), eventActions: actions } = callbacks;
  return toModelEvent(step, answer, { id, actions, outputKey: agent.outputKey });
}

interface TalkOptions {
  readonly queue: LiveRequestQueue;
  readonly handle: ResumptionHandle;
  /** Only the first session may continue the session of a lost runner. */
  readonly isFirst: boolean;
}

/** One session: from its connection to its end. */
async function* talk(
  step: StepContext,
  { queue, handle, isFirst }: TalkOptions,
): AsyncGenerator<Event, LiveEnd, undefined> {
  const { context } = step;
  context.incrementLlmCallsCount();
  const span = context.span.child("call_llm", requestAttributes(step, "", watchedModel(step)));
  const over = new AbortController();
  const items = new StreamMerge<LiveItem>();
  const tools = new LiveTools(items, over.signal);
  let connection: BaseLlmConnection | undefined;
  try {
    const stored = isFirst ? await handle.load() : undefined;
    const signal = AbortSignal.any([context.signal, over.signal]);
    connection = await connect(tools.forStep(step), { signal, resumption: stored });
    yield* continueSession(step, { connection, stored, isFirst });
    const session = { step, queue, connection, span, over: over.signal };
    return yield* new LiveTalk(session, { items, tools, handle }).run();
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    over.abort(new PlatformError("CALL_CANCELLED", "The live session ended before this call had answered."));
    items.close();
    await connection?.close();
    span.end();
  }
}

async function connect(
  step: StepContext,
  options: Pick<Parameters<NonNullable<StepModel["connect"]>>[1], "signal" | "resumption">,
): Promise<BaseLlmConnection> {
  const model = step.context.metered(step.agent.resolveModel());
  if (model.connect === undefined) {
    throw new PlatformError("LIVE_NOT_SUPPORTED", `The model ${model.model} has no live connection; use runAsync.`);
  }
  return model.connect(step.request, { config: step.context.runConfig, ...options });
}

type StepModel = ReturnType<BaseLlmAgent["resolveModel"]>;
