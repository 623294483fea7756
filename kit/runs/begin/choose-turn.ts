import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import { isToolBranch } from "#kit/events/branch.ts";
import { changesPast, type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { opensTurn } from "#kit/history/fold-history.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { callerOf, resolveAgent, withoutRewoundEvents } from "./resolve-agent.ts";

/** Whose turn a run is. */
export interface ChosenTurn {
  readonly agent: BaseAgent;
  readonly branch?: string;
  /** Set when some of the turn is in the session already. */
  readonly past?: PastTurn;
}

/**
 * The agent that the run goes to. A run that was cut off, or that brings the answer which its invocation waits for,
 * goes on as the agent with which the invocation began: the past then leads it to where it was, so that what follows
 * there follows again.
 */
export function chooseTurn(run: StartedRun): ChosenTurn {
  const { rootAgent } = run.app;
  const { session } = run.cached;
  if (!goesOn(run)) return { agent: resolveAgent(rootAgent, session.events) };
  const { invocationId } = run.record;
  const cutOff = new Set(storedEvents(run));
  const isCutOff = (event: Event): boolean => cutOff.has(event);
  const events = withoutRewoundEvents(session.events);
  const start = events.findLastIndex((event) => event.invocationId === invocationId && opensTurn(event));
  // The work for a tool call belongs to the call, which runs again or does not; a summary made on the way is nobody's
  // step.
  const past = events
    .slice(start + 1)
    .filter((event) => event.invocationId === invocationId && !isToolBranch(event.branch) && !changesPast(event));
  if (start !== -1) {
    const agent = resolveAgent(rootAgent, events.slice(0, start + 1));
    return { agent, past: new PastTurn(past, { owner: agent, isCutOff }) };
  }
  // The beginning is not at hand: go on with the caller, and with what surrounds it as far as no model decides there.
  const caller = callerOf(rootAgent, events);
  if (caller === undefined) return { agent: resolveAgent(rootAgent, events) };
  const agent = outermostWorkflow(caller.agent);
  const isWhole = agent === caller.agent && caller.branch !== undefined;
  return {
    agent,
    past: new PastTurn(past, { owner: agent, isCutOff }),
    ...(isWhole && { branch: caller.branch }),
  };
}

/** What an earlier holder of this run has stored of it. */
export function storedEvents({ cached, record }: StartedRun): readonly Event[] {
  const count = cached.session.revision - record.baseRevision;
  if (record.attempts < 2 || count <= 0) return [];
  return cached.session.events.slice(-count).filter(({ invocationId }) => invocationId === record.invocationId);
}

/** The run's message as an earlier holder has stored it. */
export function storedMessage(run: StartedRun): Event | undefined {
  return storedEvents(run).find((event) => event.author === USER_AUTHOR && !changesPast(event));
}

function goesOn({ record }: StartedRun): boolean {
  return record.attempts > 1 || goesOnWithInvocation(record.request);
}

/** Whether the invocation of a run that asks so began with an earlier run. */
export function goesOnWithInvocation(request: RunRequest): boolean {
  if (request.invocationId !== undefined) return true;
  return request.newMessage?.parts?.some((part) => part.functionResponse !== undefined) === true;
}

function outermostWorkflow(agent: BaseAgent): BaseAgent {
  let outermost = agent;
  while (outermost.parentAgent !== undefined && outermost.parentAgent.kind !== "llm") outermost = outermost.parentAgent;
  return outermost;
}
