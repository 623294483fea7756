import { InvocationContext } from "../agents/invocation-context.ts";
import { InvocationCosts } from "../agents/invocation-costs.ts";
import type { RunCompactor } from "../compaction/run-compactor.ts";
import { PlatformError, toPlatformError } from "../errors/platform-error.ts";
import type { Content } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import { callAll, firstAnswer } from "../plugins/compose.ts";
import type { RunRecord } from "../sessions/run-record.ts";
import type { ActiveSpan } from "../telemetry/run-trace.ts";
import { chooseTurn, storedEvents, storedMessage } from "./choose-turn.ts";
import { closeOpenCalls } from "./close-open-calls.ts";
import { compactAfterRun, createCompactor } from "./compact-run.ts";
import type { RunEmission } from "./event-writer.ts";
import { keepLease } from "./keep-lease.ts";
import { limitDuration } from "./limit-duration.ts";
import { rollBack } from "./roll-back.ts";
import { observeEvent, runAgent } from "./run-agent.ts";
import { isHandedOver, isLost, outcomeOf, type RunOutcome } from "./run-outcome.ts";
import type { StartedRun } from "./started-run.ts";
import { takeMessage } from "./take-message.ts";

/**
 * One run from its message to its end, as a list of steps. Gives what clients see, complete events only once they are stored, in groups
 * that became ready together; returns the finished record, or undefined when the run no longer belongs to this runner. Has to be read to
 * its end: abort the run to end it early. Aborted with `RUN_HANDED_OVER` it is not ended but released: the record is then a pending one.
 */
export async function* executeRun(
  run: StartedRun,
): AsyncGenerator<readonly RunEmission[], RunRecord | undefined, undefined> {
  const span = run.trace.start("invocation", undefined, { "gen_ai.conversation.id": run.record.session.id });
  const stopKeeping = keepLease(run);
  const stopLimiting = limitDuration(run);
  const compactor = createCompactor(run);
  let context = createContext(run, span, run.record.request.newMessage, compactor);
  let failure: PlatformError | undefined;
  let outcome: RunOutcome | undefined;
  try {
    const known = storedMessage(run);
    if (known !== undefined) assertResumable(run);
    if (known === undefined && run.record.policy === "rollback") await rollBack(run, context);
    const message = known === undefined ? await takeMessage(run, context) : known.content;
    context = createContext(run, span, message, compactor);
    const early = await beforeRun(context);
    if (early === undefined) yield* runAgent(run, context);
    else await endEarly(run, context, early);
    await closeCalls(run, context, { withinTools: false });
    if (compactor !== undefined) yield* compactAfterRun(run, context);
  } catch (error) {
    failure = await failRun(run, context, error);
    span.fail(error);
  } finally {
    stopLimiting();
    outcome = outcomeOf(failure, run.writer.awaitsInput);
    if (!isHandedOver(failure)) await afterRun(run, context, outcome);
    stopKeeping();
    span.end();
  }
  const record = await finishRun(run, context, failure, outcome);
  run.release();
  const last = run.writer.takeEmissions();
  if (last.length > 0) yield last;
  return record;
}

/** Agents of others may not bear being taken up in the middle. */
function assertResumable({ app }: StartedRun): void {
  if (app.resumability?.isResumable !== false) return;
  throw new PlatformError(
    "RUN_INTERRUPTED",
    "The run was cut off, and its app does not let it go on. Send the message again.",
  );
}

function createContext(
  run: StartedRun,
  span: ActiveSpan,
  userContent: Content | undefined,
  compactor: RunCompactor | undefined,
): InvocationContext {
  const { app, cached, liveRequestQueue, record, runConfig, services, writer } = run;
  const turn = chooseTurn(run);
  const stored = storedEvents(run);
  if (turn.past !== undefined) writer.recall(turn.past.events, stored);
  return new InvocationContext(
    {
      services,
      invocationId: record.invocationId,
      session: cached.session,
      history: cached.history,
      ...(userContent !== undefined && { userContent }),
      runConfig,
      signal: run.abort.signal,
      compactor,
      contextCache: app.contextCache,
      persisted: () => (writer.hasPending ? writer.flush() : DONE),
      callbackContextData: run.callbackContextData,
      ...(liveRequestQueue !== undefined && { liveRequestQueue }),
    },
    { ...turn, span },
    new InvocationCosts(stored),
  );
}

const DONE = Promise.resolve();

async function beforeRun(context: InvocationContext): Promise<Content | undefined> {
  return firstAnswer("beforeRunCallback", context.pluginManager.links("beforeRunCallback"), context);
}

/** A plugin's answer in place of the agents'; it passes the plugins like any event of an agent. */
async function endEarly(run: StartedRun, context: InvocationContext, content: Content): Promise<void> {
  const event = await observeEvent(run, context, context.createEvent({ author: "model", content }));
  // Shares the commit of the run's end: who takes the run over finds both or neither.
  await run.writer.add(event, { emit: true });
}

/** Turns what was thrown into a stored event, so that the session tells what happened and the next turn works. */
async function failRun(run: StartedRun, context: InvocationContext, thrown: unknown): Promise<PlatformError> {
  const { abort, services, writer, record } = run;
  const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown;
  const error = toPlatformError(cause);
  if (isHandedOver(error)) return error;
  const original = cause instanceof Error ? cause : new Error(String(cause));
  const links = services.pluginManager.links("onRunErrorCallback");
  for (const hookError of await callAll("onRunErrorCallback", links, context, original)) {
    services.logger.warn({ error: hookError, runId: record.runId }, "onRunErrorCallback failed");
  }
  if (error.reason === "INTERNAL")
    services.logger.error({ error: cause, runId: record.runId, sessionId: record.session.id }, "run failed");
  if (isLost(error) || error.reason === "SESSION_CLOSED") return error;
  await closeCalls(run, context, { withinTools: true });
  await writer.add(errorEvent(context, error, original), { emit: true });
  return error;
}

/** Calls that were cut off, such as those of agents whose siblings ended the turn, get their response before the run ends. */
async function closeCalls(
  { writer }: StartedRun,
  context: InvocationContext,
  which: { readonly withinTools: boolean },
): Promise<void> {
  for (const event of closeOpenCalls(context, which)) await writer.add(event, { emit: true });
}

function errorEvent(context: InvocationContext, error: PlatformError, original: Error): Event {
  // An error of the agent's own code tells its class and text: its author is the one who reads them.
  const errorCode = error.reason === "INTERNAL" ? original.name : error.reason;
  return context.createEvent({ errorCode, errorMessage: original.message });
}

async function afterRun(run: StartedRun, context: InvocationContext, outcome: RunOutcome): Promise<void> {
  const { logger, pluginManager } = run.services;
  for (const error of await callAll("afterRunCallback", pluginManager.links("afterRunCallback"), context, outcome)) {
    logger.warn({ error, runId: run.record.runId }, "afterRunCallback failed");
  }
}

async function finishRun(
  run: StartedRun,
  context: InvocationContext,
  failure: PlatformError | undefined,
  { status, error }: RunOutcome,
): Promise<RunRecord | undefined> {
  const { writer, services, record } = run;
  if (failure !== undefined && isLost(failure)) {
    writer.discardPending();
    return undefined;
  }
  // A closed session takes no more events, but the run still has to end.
  if (failure?.reason === "SESSION_CLOSED") writer.discardPending();
  try {
    if (isHandedOver(failure)) return await writer.release();
    return await writer.finish(status, error);
  } catch (thrown) {
    writer.discardPending();
    const lost = toPlatformError(thrown);
    if (lost.reason === "MESSAGE_TOO_LARGE" && failure?.reason !== lost.reason)
      return finishRun(run, context, lost, await failedFor(run, context, lost));
    services.logger.error(
      { error: thrown, runId: record.runId, sessionId: record.session.id },
      "run could not be finished",
    );
    return undefined;
  }
}

/** The store will never take the last events: without this the run would be taken up, and its model asked, again and again. */
async function failedFor(run: StartedRun, context: InvocationContext, error: PlatformError): Promise<RunOutcome> {
  await run.writer.add(errorEvent(context, error, error), { emit: true });
  return outcomeOf(error, false);
}
