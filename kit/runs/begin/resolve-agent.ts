import type { BaseAgent } from "#kit/core/base-agent.ts";
import { isToolBranch } from "#kit/events/branch.ts";
import {
  type Event,
  functionCalls,
  functionResponses,
  isAgentRevisionChange,
  saidContent,
  USER_AUTHOR,
} from "#kit/events/event.ts";
import { numbered, withoutRewound } from "#kit/history/fold-history.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";

/**
 * The agent that answers: the one that made the call which the newest event answers; else the agent of the newest
 * event, if it may transfer back at any time; else the root.
 */
export function resolveAgent(root: BaseAgent, events: readonly Event[]): BaseAgent {
  return callerOf(root, events)?.agent ?? lastAnsweringAgent(root, events) ?? root;
}

/** The agent that made the call which the newest event answers, and its branch. */
export function callerOf(
  root: BaseAgent,
  events: readonly Event[],
): { readonly agent: BaseAgent; readonly branch: string | undefined } | undefined {
  const last = events.findLastIndex((event) => !isAgentRevisionChange(event));
  const newest = events[last];
  if (newest === undefined) return undefined;
  const responses = functionResponses(newest);
  if (responses.length === 0) return undefined;
  const answered = new Set(responses.map(({ id }) => id));
  for (let index = last - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || !functionCalls(event).some(({ id }) => answered.has(id))) continue;
    const agent = root.findAgent(event.author);
    return agent && { agent, branch: event.branch };
  }
  return undefined;
}

/** The events that are left after every rewind among them is applied. */
export function withoutRewoundEvents(events: readonly Event[]): readonly Event[] {
  return withoutRewound(numbered({ events, firstSequence: 1 })).map(({ event }) => event);
}

function lastAnsweringAgent(root: BaseAgent, events: readonly Event[]): BaseAgent | undefined {
  if (!isLlmAgent(root)) return undefined;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.actions.rewindBeforeInvocationId !== undefined)
      return lastAnsweringAgent(root, withoutRewoundEvents(events));
    // Events without content only change state: they do not decide which agent answers next.
    if (event === undefined || event.author === USER_AUTHOR || saidContent(event) === undefined) continue;
    // An agent that serves as a tool has not answered the user.
    if (isToolBranch(event.branch)) continue;
    const agent: BaseAgent | undefined = root.findAgent(event.author);
    if (agent === root || (agent !== undefined && mayLeave(agent))) return agent;
  }
  return undefined;
}

/** Whether this agent and all above it are LLM agents that may hand back to their parent. */
function mayLeave(agent: BaseAgent): boolean {
  for (let current: BaseAgent | undefined = agent; current !== undefined; current = current.parentAgent) {
    if (!isLlmAgent(current) || (current.parentAgent !== undefined && current.disallowTransferToParent)) return false;
  }
  return true;
}
