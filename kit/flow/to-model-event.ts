import type { Content, Part } from "../events/content.ts";
import { textOf } from "../events/content.ts";
import { type Event, finalResponse } from "../events/event.ts";
import type { MutableEventActions } from "../events/event-actions.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { JsonValue } from "../platform/json.ts";
import { CALL_ID_PREFIX } from "./reserved-calls.ts";
import type { StepContext } from "./step-context.ts";

interface EventParts {
  readonly id: string;
  readonly actions?: MutableEventActions;
  /** State key for the text, when the event turns out to be the agent's final response. */
  readonly outputKey?: string | undefined;
}

/** The event that a model's response becomes: calls get ids, long-running ones are marked, the output is kept in the state. */
export function toModelEvent(step: StepContext, response: LlmResponse, parts: EventParts): Event {
  const { context, request } = step;
  if (response.partial === true) return context.createEvent({ ...response, id: parts.id });
  const { content, partial: _, ...rest } = response;
  const calls = content?.parts?.some((part) => part.functionCall !== undefined) === true;
  const named = calls ? withCallIds(content, step) : content;
  const longRunningToolIds = calls ? longRunning(named, request.tools) : [];
  const event = context.createEvent({
    id: parts.id,
    ...(named !== undefined && { content: named }),
    ...(parts.actions !== undefined && { actions: parts.actions }),
    ...(longRunningToolIds.length > 0 && { longRunningToolIds }),
    ...rest,
  });
  if (parts.outputKey !== undefined && parts.actions !== undefined)
    saveOutput(step, event, parts.actions, parts.outputKey);
  return event;
}

function withCallIds(content: Content, step: StepContext): Content {
  const parts = content.parts?.map((part): Part => {
    if (part.functionCall === undefined || (part.functionCall.id ?? "") !== "") return part;
    return { ...part, functionCall: { ...part.functionCall, id: CALL_ID_PREFIX + step.context.services.ids.next() } };
  });
  return { ...content, ...(parts !== undefined && { parts }) };
}

function longRunning(content: Content | undefined, tools: StepContext["request"]["tools"]): readonly string[] {
  const ids: string[] = [];
  for (const { functionCall } of content?.parts ?? []) {
    if (functionCall?.id !== undefined && tools.get(functionCall.name ?? "")?.isLongRunning === true)
      ids.push(functionCall.id);
  }
  return ids;
}

function saveOutput(
  { agent, context }: StepContext,
  event: Event,
  actions: MutableEventActions,
  outputKey: string,
): void {
  if (!finalResponse(event) || event.author !== agent.name) return;
  const text = textOf(event.content);
  if (text.trim() === "") return;
  actions.stateDelta[outputKey] =
    agent.outputSchema === undefined ? text : parseOutput(text, context.services.logger, agent.name);
}

/** The value of structured output; text that is no JSON is kept as text, for the turn has its answer already. */
function parseOutput(text: string, logger: StepContext["context"]["services"]["logger"], agentName: string): JsonValue {
  try {
    return JSON.parse(FENCED_JSON.exec(text)?.[1] ?? text);
  } catch (error) {
    logger.warn({ agentName, error }, "output is not JSON although the agent has an output schema; its text is kept");
    return text;
  }
}

/** Many models wrap their JSON in a Markdown code block, whatever they were asked for. */
const FENCED_JSON = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i;
