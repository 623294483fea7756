import { ToolExecutionMode } from "../agents/run-config.ts";
import type { FunctionCall, Part } from "../events/content.ts";
import { type Event, functionCalls } from "../events/event.ts";
import { createEventActions, type MutableEventActions } from "../events/event-actions.ts";
import { setOwn } from "../sessions/state-delta.ts";
import { callTool, type ToolOutcome } from "./call-tool.ts";
import type { StepContext } from "./step-context.ts";

/**
 * Runs the calls of a model's answer and gives the one event that answers them, parts in the order of the calls; undefined when
 * all of them answer later. Calls run at once unless the run asks for one after another.
 */
export async function executeTools(step: StepContext, event: Event): Promise<Event | undefined> {
  const calls = functionCalls(event);
  const id = step.context.services.ids.next();
  const outcomes = await runCalls(step, calls, id);
  const actions = createEventActions();
  const parts: Part[] = [];
  for (const outcome of outcomes) {
    mergeActions(actions, outcome.actions);
    if (outcome.response !== undefined) parts.push({ functionResponse: outcome.response });
  }
  if (parts.length === 0) return undefined;
  return step.context.createEvent({ id, content: { role: "user", parts }, actions });
}

async function runCalls(
  step: StepContext,
  calls: readonly FunctionCall[],
  eventId: string,
): Promise<readonly ToolOutcome[]> {
  if (step.context.runConfig.toolExecutionMode !== ToolExecutionMode.SEQUENTIAL) {
    return Promise.all(calls.map((call) => callTool(step, call, eventId)));
  }
  const outcomes: ToolOutcome[] = [];
  for (const call of calls) outcomes.push(await callTool(step, call, eventId));
  return outcomes;
}

/** Later calls win where two set the same thing. */
function mergeActions(target: MutableEventActions, source: MutableEventActions): void {
  const { stateDelta, artifactDelta, requestedAuthConfigs, requestedToolConfirmations, deletedArtifactIds, ...flags } =
    source;
  Object.assign(target, flags);
  for (const [key, value] of Object.entries(stateDelta)) setOwn(target.stateDelta, key, value);
  for (const [name, version] of Object.entries(artifactDelta)) {
    target.artifactDelta[name] = Math.max(version, target.artifactDelta[name] ?? version);
  }
  Object.assign(target.requestedAuthConfigs, requestedAuthConfigs);
  Object.assign(target.requestedToolConfirmations, requestedToolConfirmations);
  if (deletedArtifactIds !== undefined) {
    target.deletedArtifactIds = [...new Set([...(target.deletedArtifactIds ?? []), ...deletedArtifactIds])];
  }
}
