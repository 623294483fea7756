import { callAll, firstAnswer } from "#kit/core/compose.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { isHandedOver, outcomeOf, type RunOutcome } from "#kit/core/context/run-outcome.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { agentRevisionChange } from "#kit/events/event.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import type { RunEmission } from "#kit/runs/base/event-writer.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { storedEvents, storedMessage } from "#kit/runs/begin/choose-turn.ts";
import type { RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import { closeCalls } from "./close-open-calls.ts";
import { compactAfterRun, createCompactor } from "./compact-run.ts";
import { createContext, type RunScope } from "./create-context.ts";
import { exposureOf, failRun } from "./fail-run.ts";
import { finishRun } from "./finish-run.ts";
import { keepLease } from "./keep-lease.ts";
import { rollBack } from "./roll-back.ts";
import { observeEvent, runAgent } from "./run-agent.ts";
import { takeMessage } from "./take-message.ts";

/**
 * Executes one run from its message to its end, as a list of steps. Yields the events for clients, complete ones only
 * once they are stored, in groups that became ready together; returns the finished record, or undefined if another
 * runner holds the run. The generator must be read to its end: abort the run to end it early. A run aborted with
 * `RUN_HANDED_OVER` is released instead of ended: its record is pending then.
 */
export async function* executeRun(
  run: StartedRun,
): AsyncGenerator<readonly RunEmission[], RunRecord | undefined, undefined> {
  const span = run.trace.start("invocation", undefined, {
    "gen_ai.conversation.id": run.record.session.id,
    ...tenantAttribute(run.record.session),
    ...(run.record.agentRevision !== undefined && { "fairlead.agent.revision": run.record.agentRevision }),
  });
  const stopKeeping = keepLease(run);
  const stopLimiting = limitDuration(run);
  const scope: RunScope = { span, compactor: createCompactor(run) };
  // The context for plugins that may still change or refuse the message.
  let context = createContext(run, scope, run.record.request.newMessage);
  let failure: PlatformError | undefined;
  let outcome: RunOutcome | undefined;
  try {
    const known = storedMessage(run);
    if (known !== undefined) {
      // A run that was recovered only to be ended: no code of its app may run, because that code may have crashed its
      // runners.
      run.abort.signal.throwIfAborted();
      assertResumable(run);
    }
    if (known === undefined && run.record.policy === "rollback") await rollBack(run, context);
    const message = known === undefined ? await takeMessage(run, context) : known.content;
    if (run.record.request.endsInvocation === true) throw endOfInvocation(run.record.request);
    context = createContext(run, scope, message);
    if (run.movedFrom !== undefined) await noteAgentRevision(run, context, run.movedFrom);
    if (!mayStartUndurable(run, context)) await run.writer.durable;
    const early = await beforeRun(context);
    if (early === undefined) yield* runAgent(run, context);
    else await endEarly(run, context, early);
    await closeCalls(run, context, { withinTools: false });
    if (scope.compactor !== undefined) yield* compactAfterRun(run, context);
  } catch (error) {
    failure = await failRun(run, context, error);
    run.ending.failure = failure;
    span.fail(error);
  } finally {
    stopLimiting();
    outcome = outcomeOf(failure, { ...run.writer.facts, exposure: exposureOf(run) });
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

/** Why the run ends without its agent. */
function endOfInvocation({ isExpired = false }: RunRequest): PlatformError {
  return isExpired
    ? new PlatformError("INPUT_EXPIRED", "Nobody answered in the time that the app's inbox setting gives.")
    : new PlatformError("RUN_CANCELLED", "The run was cancelled while it waited for input.");
}

/**
 * Agents may not support being resumed in the middle of a turn. A run that has stored only its message starts again.
 */
function assertResumable(run: StartedRun): void {
  if (run.app.resumability?.isResumable !== false || storedEvents(run).length < 2) return;
  throw new PlatformError(
    "RUN_INTERRUPTED",
    "The run was interrupted, and its app does not allow its recovery. Send the message again.",
  );
}

/**
 * Whether the agent may start before the start of the run is durable. An LLM agent first calls its model, which can be
 * repeated, and awaits durability before its tools run. Agents of other kinds may have an effect immediately.
 */
function mayStartUndurable({ liveRequestQueue }: StartedRun, { agent }: InvocationContext): boolean {
  return agent.kind === "llm" && liveRequestQueue === undefined;
}

async function beforeRun(context: InvocationContext): Promise<Content | undefined> {
  return firstAnswer("beforeRunCallback", pluginLinks(context, "beforeRunCallback"), context);
}

/** Stores that the invocation is executed on another agent revision than before, with the run's next events. */
async function noteAgentRevision(run: StartedRun, { invocationId }: InvocationContext, from: string): Promise<void> {
  const { app, record, services, writer } = run;
  const names = { id: services.ids.next(), invocationId, author: app.rootAgent.name, timestamp: services.clock.now() };
  await writer.add(agentRevisionChange({ from, to: record.agentRevision ?? "" }, names), { emit: true });
}

/** Adds a plugin's answer instead of the agents'; plugins observe it like any event of an agent. */
async function endEarly(run: StartedRun, context: InvocationContext, content: Content): Promise<void> {
  const event = await observeEvent(run, context, context.createEvent({ author: "model", content }));
  // Shares the commit of the run's end: a runner that recovers the run finds both or neither.
  await run.writer.add(event, { emit: true });
}

async function afterRun(run: StartedRun, context: InvocationContext, outcome: RunOutcome): Promise<void> {
  const { logger } = run.services;
  for (const error of await callAll(
    "afterRunCallback",
    pluginLinks(run.services, "afterRunCallback"),
    context,
    outcome,
  )) {
    logger.warn({ error, runId: run.record.runId }, "afterRunCallback failed");
  }
}

/** The attribute of a run's span that names its tenant; none for the tenant `default`. */
function tenantAttribute(name: TenantScoped): Readonly<Record<string, string>> {
  const { tenantId } = inTenant(name.tenantId);
  return tenantId === undefined ? {} : { "fairlead.tenant.id": tenantId };
}

// setTimeout fires immediately for a longer delay.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Aborts the run when it takes longer than its configuration allows; the returned function clears the timer. */
export function limitDuration({ abort, runConfig: { maxDurationMs } }: StartedRun): () => void {
  if (maxDurationMs === undefined) return NOTHING_TO_CALL_OFF;
  const end = (): void =>
    abort.abort(
      new PlatformError("RUN_TIMED_OUT", `The run took longer than ${maxDurationMs} ms (RunConfig.maxDurationMs).`),
    );
  const timer = setTimeout(end, Math.min(maxDurationMs, MAX_TIMER_MS)).unref();
  return () => clearTimeout(timer);
}

const NOTHING_TO_CALL_OFF = (): void => {};
