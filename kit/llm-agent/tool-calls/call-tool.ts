import { BaseTool } from "#kit/core/base-tool.ts";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import { createEventActions, type MutableEventActions } from "#kit/events/event-actions.ts";
import { CONTENT_WITHHELD } from "#kit/llm-agent/base/model-attributes.ts";
import type { GivenAnswer } from "#kit/llm-agent/questions/question-kind.ts";
import { rejection } from "#kit/llm-agent/questions/rejection.ts";
import { unreadableArguments } from "#kit/models/answers/unreadable-call-arguments.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import { isStream, readStream } from "./stream-progress.ts";
import { afterTool, beforeTool, onToolError, type ToolCall, watches } from "./tool-callbacks.ts";
import { ToolDeadline } from "./tool-deadline.ts";
import { errorResponse, errorText, type MeasuredResponse, toToolResponse } from "./tool-response.ts";
import type { ToolRound } from "./tool-round.ts";

/** A call that is about to be run or answered. */
export interface PlannedCall {
  /** The part of the model's answer that contains the call. */
  readonly part: Part;
  /** The user's answer to the question about this call. */
  readonly answer?: GivenAnswer;
  /** The response of a call that is not run. */
  readonly response?: JsonObject;
}

export interface ToolOutcome {
  /** Undefined if the tool is long-running and has returned nothing. */
  readonly response: FunctionResponse | undefined;
  readonly size: number;
  readonly actions: MutableEventActions;
}

/**
 * Runs one call: callbacks before, the user's consent if it is needed, the tool, callbacks on failure, callbacks after.
 * Never rejects: every call gets an outcome. An error that has to end the run is set on the round.
 */
export async function callTool(round: ToolRound, planned: PlannedCall): Promise<ToolOutcome> {
  const { id, name = "" } = planned.part.functionCall ?? {};
  const outcome = (measured: MeasuredResponse, actions = createEventActions()): ToolOutcome => ({
    response: {
      id,
      name,
      response: measured.response,
      parts: measured.parts,
    },
    size: measured.size,
    actions,
  });
  if (planned.response !== undefined) return outcome(toToolResponse(planned.response));
  if (round.failure !== undefined)
    return outcome(errorResponse("The run ended before this call began: it did not run."));
  const { context, request } = round.step;
  const tool = request.tools.get(name) ?? new UnknownTool(name, request.tools.keys());
  const { live } = round.step;
  const cancelled = live?.abortOf(id);
  const parent = cancelled === undefined ? context.signal : AbortSignal.any([context.signal, cancelled]);
  const deadline = tool.timeoutMs === undefined ? undefined : new ToolDeadline(tool, tool.timeoutMs, parent);
  const args = copyArguments(planned.part.functionCall ?? {});
  const span = startSpan({ step: round.step, planned, round, tool, args });
  const toolContext = new ToolContext(context, {
    span,
    functionCallId: id,
    eventId: round.eventId,
    toolConfirmation: planned.answer?.kind === "confirmation" ? planned.answer.confirmation : undefined,
    toolInput: planned.answer?.kind === "input" ? planned.answer.input : undefined,
    credentialAnswer: planned.answer?.kind === "credential" ? planned.answer.credential : undefined,
    signal: deadline?.signal ?? (cancelled && parent),
    liveInput: live && ((signal) => live.input(signal)),
    emit: round.emit,
  });
  const run: ToolRun = { step: round.step, round, planned, tool, toolContext, args, deadline, cancelled };
  try {
    const measured = await answer(run);
    if (context.services.captureContent)
      span.set("gcp.vertex.agent.tool_response", JSON.stringify(measured?.response ?? null));
    if (measured !== undefined) return outcome(measured, toolContext.actions);
    return { response: undefined, size: 0, actions: toolContext.actions };
  } catch (error) {
    span.fail(error);
    round.fail(error);
    return outcome(errorResponse(failureText(error, context.signal)), toolContext.actions);
  } finally {
    span.end();
    deadline?.[Symbol.dispose]();
  }
}

interface ToolRun extends ToolCall {
  readonly round: ToolRound;
  readonly planned: PlannedCall;
  readonly deadline: ToolDeadline | undefined;
  /** Aborted when the model of a live session does not need the call any more. */
  readonly cancelled: AbortSignal | undefined;
}

async function answer(run: ToolRun): Promise<MeasuredResponse | undefined> {
  const early = watches(run, "beforeToolCallback") ? await beforeTool(run) : undefined;
  let result: MeasuredResponse;
  const movesMedia = run.step.context.artifactService !== undefined;
  if (early !== undefined) result = toToolResponse(early, { movesMedia });
  else {
    try {
      const problem = unreadableArguments(run.planned.part);
      if (problem !== undefined) throw wrongArguments(run.tool.name, problem);
      const consent = missingConsent(run);
      // Most tools need no consent; awaiting would cost a turn of the microtask queue.
      const held = consent instanceof Promise ? await consent : consent;
      if (held !== undefined) return held;
      const given = await within(run, run.tool.runAsync(run.args, run.toolContext));
      const raw = isStream(given) ? await streamed(run, given) : given;
      const requests = run.toolContext.credentialsRequested();
      if (requests !== undefined) await within(run, requests);
      if (raw === undefined || raw === null) {
        const placeholder = heldBack(run);
        if (placeholder !== undefined) return placeholder;
        if (run.tool.isLongRunning) return undefined;
      }
      result = toToolResponse(raw, { movesMedia });
    } catch (error) {
      result = await failed(run, error);
    }
  }
  if (!watches(run, "afterToolCallback")) return result;
  const replaced = await afterTool(run, result.response);
  return replaced === undefined ? result : toToolResponse(replaced, { movesMedia });
}

/** The response of a call until the user has decided. */
const NOT_CONFIRMED: MeasuredResponse = errorResponse(
  "This call has not run: it waits for the user to confirm or reject it.",
);

/** The response of a call until the user has answered its tool's question. */
const NOT_ANSWERED: MeasuredResponse = errorResponse(
  "This call has no result yet: it waits for the user's answer to a question.",
);

/** The response of a call until the user has signed in, or given a key. */
const NOT_AUTHORIZED: MeasuredResponse = errorResponse(
  "This call has no result yet: it waits for the user to sign in or to give a credential.",
);

/** The response of a call that has no consent and needs one; undefined if it may run. */
function missingConsent(run: ToolRun): MeasuredResponse | undefined | Promise<MeasuredResponse | undefined> {
  const { tool, toolContext, args } = run;
  if (toolContext.toolConfirmation?.confirmed === true) return undefined;
  // The call has run before and has asked the user for something, so it had the consent then.
  if (toolContext.toolInput !== undefined || toolContext.credentialAnswer !== undefined) return undefined;
  const needs = tool.needsConfirmation(args, toolContext);
  if (needs === false) return undefined;
  if (needs === true) return withoutConsent(run);
  return needs.then((isNeeded) => (isNeeded ? withoutConsent(run) : undefined));
}

function withoutConsent({ tool, toolContext }: ToolRun): MeasuredResponse {
  if (toolContext.toolConfirmation !== undefined) return toToolResponse(rejection(toolContext.toolConfirmation));
  toolContext.requestConfirmation({ hint: `Confirm or reject the call of ${tool.name}.` });
  return NOT_CONFIRMED;
}

function heldBack({ toolContext }: ToolRun): MeasuredResponse | undefined {
  const { functionCallId = "", actions } = toolContext;
  if (Object.hasOwn(actions.requestedToolConfirmations, functionCallId)) return NOT_CONFIRMED;
  if (Object.hasOwn(actions.requestedAuthConfigs, functionCallId)) return NOT_AUTHORIZED;
  return Object.hasOwn(actions.requestedInputs ?? {}, functionCallId) ? NOT_ANSWERED : undefined;
}

/** In a live session the call is answered immediately, and the values follow. */
function streamed(run: ToolRun, values: AsyncIterable<unknown>): JsonObject | Promise<unknown> {
  const { live } = run.step;
  if (live === undefined) return within(run, readProgress(run, values));
  return live.stream({ id: run.toolContext.functionCallId, name: run.tool.name }, values);
}

function readProgress(run: ToolRun, stream: AsyncIterable<unknown>): Promise<unknown> {
  return readStream(stream, (value) => showProgress(run, value), run.toolContext.signal);
}

/** Progress is streamed and not stored: a response that will continue. */
async function showProgress({ round, tool, toolContext }: ToolRun, value: unknown): Promise<void> {
  const { response } = toToolResponse(value);
  const id = toolContext.functionCallId;
  const functionResponse = { id, name: tool.name, response, willContinue: true };
  const content = { role: "user", parts: [{ functionResponse }] };
  await round.emit(round.step.context.createEvent({ id: round.eventId, content, partial: true }));
}

/** Settles with the work; rejects earlier when the call's time is over or the run is aborted. */
function within({ round, deadline, cancelled }: ToolRun, work: Promise<unknown>): Promise<unknown> {
  if (deadline === undefined && cancelled === undefined) return round.unlessAborted(work);
  const ends: Promise<unknown>[] = [work];
  if (deadline !== undefined) ends.push(deadline.exceeded());
  if (cancelled !== undefined) ends.push(rejectionOf(cancelled));
  return round.unlessAborted(Promise.race(ends));
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function failed(run: ToolRun, error: unknown): Promise<MeasuredResponse> {
  const { step, tool } = run;
  const { services, session, signal } = step.context;
  if (signal.aborted) throw signal.reason;
  const thrown = error instanceof Error ? error : new Error(errorText(error), { cause: error });
  const recovered = await onToolError(run, thrown);
  if (recovered !== undefined) return toToolResponse(recovered);
  if (!(tool instanceof UnknownTool))
    services.logger.warn({ tool: tool.name, agentName: step.agent.name, sessionId: session.id, error }, "tool failed");
  return errorResponse(errorText(thrown));
}

function failureText(error: unknown, signal: AbortSignal): string {
  if (!signal.aborted) return `The run failed at this call: ${errorText(error)}`;
  return "The run ended before this call had answered; whether it took effect is unknown.";
}

function startSpan({
  step,
  planned,
  round,
  tool,
  args,
}: Omit<ToolRun, "toolContext" | "deadline" | "cancelled">): ActiveSpan {
  const { session, services, span } = step.context;
  const { id = "", name = "" } = planned.part.functionCall ?? {};
  return span.child(`execute_tool ${name}`, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.description": tool.description,
    // Tools that a model invented have none.
    ...(tool instanceof UnknownTool ? {} : { "gen_ai.tool.type": "function" }),
    "gen_ai.tool.call.id": id,
    "gen_ai.conversation.id": session.id,
    "gen_ai.agent.name": step.agent.name,
    "gcp.vertex.agent.event_id": round.eventId,
    "gcp.vertex.agent.tool_call_args": services.captureContent ? JSON.stringify(args) : CONTENT_WITHHELD,
  });
}

/** How many names are listed; the request declares all of them anyway. */
const MAX_NAMES = 50;

/** Replaces a tool that the model invented: it fails with an error that lists the agent's tools. */
export class UnknownTool extends BaseTool {
  readonly #known: Iterable<string>;

  constructor(name: string, known: Iterable<string>) {
    super({ name, description: "" });
    this.#known = known;
  }

  override async runAsync(): Promise<unknown> {
    const names = [...this.#known];
    const listed = names.slice(0, MAX_NAMES).join(", ");
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
    const list = names.length === 0 ? "There are no tools." : `Tools are: ${listed}${more}.`;
    throw new PlatformError("TOOL_NOT_FOUND", `There is no tool named "${this.name}". ${list}`);
  }
}

/** A copy that callbacks and the tool may change. */
export function copyArguments({ args = {} }: FunctionCall): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(args)) setOwn(copy, key, copyJson(args[key] ?? null));
  return copy;
}

// Several times as fast as structuredClone, which would take half the time of a small call.
function copyJson(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return copyArguments({ args: value });
  return Array.isArray(value) ? value.map(copyJson) : value;
}

export function wrongArguments(name: string, problem: string): PlatformError {
  return new PlatformError(
    "TOOL_ARGUMENTS_UNREADABLE",
    `The arguments of this call of ${name} cannot be read, so it did not run. ${problem} Call it again with a JSON object.`,
  );
}
