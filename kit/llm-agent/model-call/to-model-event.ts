import type { Content } from "#kit/events/content.ts";
import { textOf } from "#kit/events/content.ts";
import { type Event, finalResponse } from "#kit/events/event.ts";
import type { MutableEventActions } from "#kit/events/event-actions.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { parseOutput } from "#kit/llm-agent/output/check-output.ts";
import { withReadableArguments } from "#kit/models/answers/unreadable-call-arguments.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { CallIds, hasCalls } from "./call-ids.ts";

interface EventParts {
  readonly id: string;
  readonly actions?: MutableEventActions;
  /** The ids of the chunks before, if there were any. */
  readonly callIds?: CallIds;
  /** State key for the text, if the event is the agent's final response. */
  readonly outputKey?: string | undefined;
  /** The transcript of the agent's turn, if it speaks; the text of the content if absent. */
  readonly spoken?: string;
}

/**
 * Makes an event of a model's response: calls get ids, long-running ones are marked, and the output is saved in the
 * state.
 */
export function toModelEvent(step: StepContext, response: LlmResponse, parts: EventParts): Event {
  const { context, request } = step;
  const callIds = parts.callIds ?? new CallIds(context.services.ids);
  if (response.partial === true) {
    const chunk = hasCalls(response.content) ? { content: callIds.forChunk(response.content) } : undefined;
    return context.createEvent({ ...response, ...chunk, id: parts.id });
  }
  const { content, partial: _, ...rest } = response;
  const calls = hasCalls(content);
  const named = calls ? withWholeCalls(content, callIds) : content;
  const longRunningToolIds = calls ? longRunning(named, request.tools) : [];
  const event = context.createEvent({
    id: parts.id,
    content: named,
    actions: parts.actions,
    longRunningToolIds: longRunningToolIds.length > 0 ? longRunningToolIds : undefined,
    ...rest,
  });
  if (parts.outputKey !== undefined && parts.actions !== undefined)
    saveOutput(step, { event, actions: parts.actions, outputKey: parts.outputKey, spoken: parts.spoken });
  return event;
}

/** Gives calls ids and makes their arguments objects. */
function withWholeCalls(content: Content, callIds: CallIds): Content {
  const named = callIds.forAnswer(content);
  return { ...named, parts: named.parts?.map(withReadableArguments) ?? [] };
}

function longRunning(content: Content | undefined, tools: StepContext["request"]["tools"]): readonly string[] {
  const ids: string[] = [];
  for (const { functionCall } of content?.parts ?? []) {
    if (functionCall?.id !== undefined && tools.get(functionCall.name ?? "")?.isLongRunning === true)
      ids.push(functionCall.id);
  }
  return ids;
}

interface Output {
  readonly event: Event;
  readonly actions: MutableEventActions;
  readonly outputKey: string;
  readonly spoken: string | undefined;
}

function saveOutput(step: StepContext, { event, actions, outputKey, spoken }: Output): void {
  if (!finalResponse(event)) return;
  // The code will run, and the answer follows its result.
  if (event.content?.parts?.at(-1)?.executableCode !== undefined) return;
  const text = spoken ?? textOf(event.content);
  if (text.trim() === "" || step.outputVerdict?.kind === "to-fix") return;
  actions.stateDelta[outputKey] = step.agent.outputSchema === undefined ? text : outputValue(step, text);
}

/** The value of structured output. Text that is not JSON is kept as text, because the turn has its answer already. */
function outputValue(step: StepContext, text: string): JsonValue {
  const { outputVerdict } = step;
  if (outputVerdict?.kind === "fits") return outputVerdict.value;
  const parsed = parseOutput(text);
  if (parsed !== undefined) return parsed.value;
  const { agent, context } = step;
  context.services.logger.warn(
    { agentName: agent.name },
    "output is not JSON although the agent has an output schema; its text is kept",
  );
  return text;
}
