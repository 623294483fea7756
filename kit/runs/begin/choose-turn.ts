import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import { isToolBranch } from "#kit/events/branch.ts";
import { changesPast, type Event, isAgentRevisionChange, USER_AUTHOR } from "#kit/events/event.ts";
import { recordedEvents } from "#kit/events/recorded-events.ts";
import { opensTurn } from "#kit/history/fold-history.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { callerOf, resolveAgent, withoutRewoundEvents } from "./resolve-agent.ts";

/** The agent that a run starts with. */
export interface ChosenTurn {
  readonly agent: BaseAgent;
  readonly branch?: string | undefined;
  /** Set if some of the turn's events are in the session already. */
  readonly past?: PastTurn;
}

/**
 * Chooses the agent that the run starts with. A recovered run, or one with the answer that its invocation waits for,
 * starts with the agent with which the invocation began: that agent resumes from the past turn where it stopped, so
 * that all agents around that point are resumed too.
 */
export function chooseTurn(run: StartedRun): ChosenTurn {
  const { rootAgent } = run.app;
  const { session } = run.cached;
  if (!continuesTurn(run)) return { agent: resolveAgent(rootAgent, session.events) };
  if (run.liveRequestQueue !== undefined) return { agent: talkingAgent(run) };
  const { invocationId } = run.record;
  const interrupted = new Set(storedEvents(run));
  const isInterrupted = (event: Event): boolean => interrupted.has(event);
  const events = withoutRewoundEvents(session.events);
  const start = events.findLastIndex((event) => event.invocationId === invocationId && opensTurn(event));
  // Events of an agent that serves as a tool belong to its call, and summaries are not steps of any agent.
  const past = events
    .slice(start + 1)
    .filter((event) => event.invocationId === invocationId && !isToolBranch(event.branch) && !isNote(event));
  if (start !== -1) {
    const agent = resolveAgent(rootAgent, events.slice(0, start + 1));
    return { agent, past: new PastTurn(past, { owner: agent, isInterrupted }) };
  }
  // The opening event is missing: resume with the caller, or with the outermost agent around it below the next LLM
  // agent.
  const caller = callerOf(rootAgent, events);
  if (caller === undefined) return { agent: resolveAgent(rootAgent, events) };
  const agent = outermostWorkflow(caller.agent);
  const isWhole = agent === caller.agent && caller.branch !== undefined;
  return {
    agent,
    past: new PastTurn(past, { owner: agent, isInterrupted }),
    branch: isWhole ? caller.branch : undefined,
  };
}

/** The agent that a recovered live run continues with: the one that was transferred to last, or that answered last. */
function talkingAgent(run: StartedRun): BaseAgent {
  const { rootAgent } = run.app;
  // A workflow finds its place by itself.
  if (!isLlmAgent(rootAgent)) return rootAgent;
  const { transferToAgent } = storedEvents(run).at(-1)?.actions ?? {};
  const target = transferToAgent === undefined ? undefined : rootAgent.findAgent(transferToAgent);
  return target ?? resolveAgent(rootAgent, run.cached.session.events);
}

/** The events that earlier holders of this run have stored. */
export function storedEvents({ cached, record }: StartedRun): readonly Event[] {
  const count = cached.session.revision - record.baseRevision;
  if (record.attempts < 2 || count <= 0) return [];
  const since = recordedEvents(cached.session.events.slice(-count));
  return since.filter((event) => event.invocationId === record.invocationId && !isAgentRevisionChange(event));
}

/** The run's message, if an earlier holder has stored it. */
export function storedMessage(run: StartedRun): Event | undefined {
  return storedEvents(run).find((event) => event.author === USER_AUTHOR && !changesPast(event));
}

/** Whether the event is a note about the session, and no step of an agent. */
function isNote(event: Event): boolean {
  return changesPast(event) || isAgentRevisionChange(event);
}

function continuesTurn({ record }: StartedRun): boolean {
  return record.attempts > 1 || continuesInvocation(record.request);
}

/** Whether a run with this request continues the invocation of an earlier run. */
export function continuesInvocation(request: RunRequest): boolean {
  if (request.invocationId !== undefined) return true;
  return request.newMessage?.parts?.some((part) => part.functionResponse !== undefined) === true;
}

function outermostWorkflow(agent: BaseAgent): BaseAgent {
  let outermost = agent;
  while (outermost.parentAgent !== undefined && outermost.parentAgent.kind !== "llm") outermost = outermost.parentAgent;
  return outermost;
}
