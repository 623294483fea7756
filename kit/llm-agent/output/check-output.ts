import { type Content, type Part, textOf } from "#kit/events/content.ts";
import { type Event, functionResponses } from "#kit/events/event.ts";
import type { StepContext, TurnState } from "#kit/llm-agent/base/step-context.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import type { Schema, SchemaCheck } from "#kit/schema/schema.ts";
import { answersByTool, SET_MODEL_RESPONSE_NAME } from "./set-model-response-tool.ts";

type AgentTurn = Pick<StepContext, "agent" | "context">;

/** The state of a turn that begins or is resumed. */
export function startTurn({ agent, context }: AgentTurn): TurnState {
  return {
    isFixRequested: context.past?.events.some((event) => event.author === agent.name && requestsFix(event)) === true,
  };
}

/**
 * Checks the text of a complete answer without calls and sets the step's `outputVerdict`. An answer that does not fit
 * becomes an error if the model was already asked once to fix it, or cannot be called again.
 */
export async function checkOutput(step: StepContext, response: LlmResponse): Promise<LlmResponse> {
  const { outputSchema } = step.agent;
  const { content, partial, errorCode } = response;
  if (outputSchema === undefined || partial === true || errorCode !== undefined) return response;
  if (content?.parts?.some(continuesTurn) === true) return response;
  const checked = await checkText(outputSchema, content);
  if (checked.ok) {
    // Defaults and transformations of the schema may produce values that are not JSON.
    step.outputVerdict = { kind: "fits", value: JSON.parse(JSON.stringify(checked.value ?? null)) };
    return response;
  }
  if (step.isLast !== true && !step.turn.isFixRequested) {
    step.outputVerdict = { kind: "to-fix", problems: checked.problems };
    return response;
  }
  const errorMessage = `The answer does not fit the output schema of agent "${step.agent.name}": ${checked.problems.join("; ")}.`;
  return { ...response, errorCode: "OUTPUT_SCHEMA_VIOLATED", errorMessage };
}

/**
 * The problems of an answer that was stored before its turn was interrupted, to be reported to the model; undefined if
 * there are none.
 */
export async function problemsLeft(
  { agent, context }: AgentTurn,
  { author, content, errorCode }: Event,
): Promise<readonly string[] | undefined> {
  const { outputSchema } = agent;
  if (outputSchema === undefined || author !== agent.name || errorCode !== undefined) return undefined;
  if (content === undefined || content.parts?.some(continuesTurn) === true) return undefined;
  if (startTurn({ agent, context }).isFixRequested) return undefined;
  const checked = await checkText(outputSchema, content);
  return checked.ok ? undefined : checked.problems;
}

async function checkText(schema: Schema, content: Content | undefined): Promise<SchemaCheck> {
  const parsed = parseOutput(textOf(content));
  return parsed === undefined ? NOT_JSON : checkArguments(schema, parsed.value);
}

/**
 * Whether the event asks the model to fix its answer: no other event of an agent has the user's role without responses
 * to calls.
 */
export function requestsFix(event: Event): boolean {
  return event.content?.role === "user" && functionResponses(event).length === 0;
}

const NOT_JSON = { ok: false, problems: ["it is not JSON"] } as const;

function continuesTurn(part: Part): boolean {
  return part.functionCall !== undefined || part.functionResponse !== undefined || part.executableCode !== undefined;
}

/** Asks the model to fix its answer, in an event of its own, so that the session shows why the model answers twice. */
export async function* requestFix(
  { agent, context, turn }: Pick<StepContext, "agent" | "context" | "turn">,
  problems: readonly string[],
): AsyncGenerator<Event, void, undefined> {
  turn.isFixRequested = true;
  const how = answersByTool(agent)
    ? `Call ${SET_MODEL_RESPONSE_NAME} with the fixed answer.`
    : "Answer again with JSON that fits, and nothing else.";
  const text = `This answer does not fit the output schema: ${problems.join("; ")}. ${how}`;
  yield context.createEvent({ content: { role: "user", parts: [{ text }] } });
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseOutput(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(withoutFence(text.trim())) };
  } catch {
    return undefined;
  }
}

const FENCE = "```";

/** Many models wrap their JSON in a Markdown code block, whatever the request asks for. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE)) return text;
  const firstLine = text.indexOf("\n");
  if (firstLine < 0 || !/^(?:json)?$/i.test(text.slice(FENCE.length, firstLine).trim())) return text;
  return text.slice(firstLine, -FENCE.length).trim();
}
