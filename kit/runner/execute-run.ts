import { InvocationContext } from "../agents/invocation-context.ts";
import { type PlatformError, toPlatformError } from "../errors/platform-error.ts";
import type { Content } from "../events/content.ts";
import { type Event, USER_AUTHOR } from "../events/event.ts";
import { createEventActions } from "../events/event-actions.ts";
import { callAll, firstAnswer } from "../plugins/compose.ts";
import type { RunError, RunRecord, TerminalRunStatus } from "../sessions/run-record.ts";
import type { ActiveSpan } from "../telemetry/run-trace.ts";
import type { RunEmission } from "./event-writer.ts";
import { keepLease } from "./keep-lease.ts";
import { resolveAgent } from "./resolve-agent.ts";
import { observeEvent, runAgent } from "./run-agent.ts";
import type { StartedRun } from "./started-run.ts";

/**
 * One run from its message to its end, as a list of steps. Gives what clients see, complete events only once they are stored, in groups
 * that became ready together; returns the finished record, or undefined when the run no longer belongs to this runner. Has to be read to
 * its end: abort the run to end it early.
 */
export async function* executeRun(
  run: StartedRun,
): AsyncGenerator<readonly RunEmission[], RunRecord | undefined, undefined> {
  const span = run.trace.start("invocation", undefined, { "gen_ai.conversation.id": run.record.session.id });
  const stopKeeping = keepLease(run);
  let context = createContext(run, span, run.record.request.newMessage);
  let failure: PlatformError | undefined;
  try {
    const message = await resolveMessage(run, context);
    await appendUserEvent(run, context, message);
    context = createContext(run, span, message);
    const early = await beforeRun(context);
    yield* early === undefined ? runAgent(run, context) : endEarly(run, context, early);
  } catch (error) {
    failure = await failRun(run, context, error);
    span.fail(error);
  } finally {
    await afterRun(run, context);
    stopKeeping();
    span.end();
  }
  const record = await finishRun(run, failure);
  run.release();
  const last = run.writer.takeEmissions();
  if (last.length > 0) yield last;
  return record;
}

function createContext(run: StartedRun, span: ActiveSpan, userContent: Content | undefined): InvocationContext {
  const { app, cached, record, runConfig, services, writer } = run;
  return new InvocationContext(
    {
      services,
      invocationId: record.invocationId,
      session: cached.session,
      history: cached.history,
      ...(userContent !== undefined && { userContent }),
      runConfig,
      signal: run.abort.signal,
      persisted: () => (writer.hasPending ? writer.flush() : DONE),
    },
    { agent: resolveAgent(app.rootAgent, cached.session.events), span },
  );
}

const DONE = Promise.resolve();

/** The message as plugins want it. */
async function resolveMessage(run: StartedRun, context: InvocationContext): Promise<Content | undefined> {
  const message = run.record.request.newMessage;
  if (message === undefined) return undefined;
  const links = run.services.pluginManager.links("onUserMessageCallback");
  return (await firstAnswer("onUserMessageCallback", links, context, message)) ?? message;
}

/** The user's event opens the turn; it is stored and not shown again to who sent it. */
async function appendUserEvent(
  run: StartedRun,
  context: InvocationContext,
  userContent: Content | undefined,
): Promise<void> {
  const { stateDelta, customMetadata } = run.record.request;
  if (userContent === undefined && stateDelta === undefined) return;
  const event = context.createEvent({
    author: USER_AUTHOR,
    ...(userContent !== undefined && {
      content: userContent.role === undefined ? { role: "user", ...userContent } : userContent,
    }),
    ...(stateDelta !== undefined && { actions: createEventActions({ stateDelta }) }),
    ...(customMetadata !== undefined && { customMetadata }),
  });
  await run.writer.add(event, { emit: false });
}

async function beforeRun(context: InvocationContext): Promise<Content | undefined> {
  return firstAnswer("beforeRunCallback", context.pluginManager.links("beforeRunCallback"), context);
}

/** A plugin's answer in place of the agents'; it passes the plugins like any event of an agent. */
async function* endEarly(
  run: StartedRun,
  context: InvocationContext,
  content: Content,
): AsyncGenerator<readonly RunEmission[]> {
  const event = await observeEvent(run, context, context.createEvent({ author: "model", content }));
  await run.writer.add(event, { emit: true });
  await run.writer.flush();
  yield run.writer.takeEmissions();
}

/** Turns what was thrown into a stored event, so that the session tells what happened and the next turn works. */
async function failRun(run: StartedRun, context: InvocationContext, thrown: unknown): Promise<PlatformError> {
  const { abort, services, writer, record } = run;
  const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown;
  const error = toPlatformError(cause);
  const original = cause instanceof Error ? cause : new Error(String(cause));
  await callAll("onRunErrorCallback", services.pluginManager.links("onRunErrorCallback"), context, original);
  if (error.reason === "INTERNAL")
    services.logger.error({ error: cause, runId: record.runId, sessionId: record.session.id }, "run failed");
  if (isLost(error) || error.reason === "SESSION_CLOSED") return error;
  await writer.add(errorEvent(context, error, original), { emit: true });
  return error;
}

function errorEvent(context: InvocationContext, error: PlatformError, original: Error): Event {
  // An error of the agent's own code tells its class and text: its author is the one who reads them.
  const errorCode = error.reason === "INTERNAL" ? original.name : error.reason;
  return context.createEvent({ errorCode, errorMessage: original.message });
}

async function afterRun(run: StartedRun, context: InvocationContext): Promise<void> {
  const { logger, pluginManager } = run.services;
  for (const error of await callAll("afterRunCallback", pluginManager.links("afterRunCallback"), context)) {
    logger.warn({ error, runId: run.record.runId }, "afterRunCallback failed");
  }
}

async function finishRun(run: StartedRun, failure: PlatformError | undefined): Promise<RunRecord | undefined> {
  const { writer, services, record } = run;
  if (failure !== undefined && isLost(failure)) {
    writer.discardPending();
    return undefined;
  }
  const error: RunError | undefined =
    failure === undefined ? undefined : { code: failure.code, reason: failure.reason, message: messageOf(failure) };
  // A closed session takes no more events, but the run still has to end.
  if (failure?.reason === "SESSION_CLOSED") writer.discardPending();
  try {
    return await writer.finish(statusOf(failure, writer.awaitsInput), error);
  } catch (thrown) {
    writer.discardPending();
    services.logger.error(
      { error: thrown, runId: record.runId, sessionId: record.session.id },
      "run could not be finished",
    );
    return undefined;
  }
}

/** What went wrong in the agent's own words; the generic text of INTERNAL would hide it from its author. */
function messageOf(failure: PlatformError): string {
  if (failure.reason !== "INTERNAL" || !(failure.cause instanceof Error)) return failure.message;
  return `${failure.cause.name}: ${failure.cause.message}`;
}

function statusOf(failure: PlatformError | undefined, awaitsInput: boolean): TerminalRunStatus {
  switch (failure?.reason) {
    case undefined:
      return awaitsInput ? "awaiting_input" : "succeeded";
    case "RUN_CANCELLED":
      return "cancelled";
    case "RUN_INTERRUPTED":
      return "interrupted";
    case "RUN_TIMED_OUT":
      return "timed_out";
    default:
      return "failed";
  }
}

/** Whether the run belongs to somebody else by now, or its session is gone: nothing may be written any more. */
function isLost(error: PlatformError): boolean {
  return error.reason === "LEASE_LOST" || error.reason === "SESSION_NOT_FOUND";
}
