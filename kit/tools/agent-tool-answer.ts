import type { BaseAgent } from "#kit/core/base-agent.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";
import { parseOutput } from "#kit/llm-agent/output/check-output.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import type { Schema } from "#kit/schema/schema.ts";
import type { FunctionCall } from "../events/content.ts";
import { type Event, type EventInput, functionCalls } from "../events/event.ts";
import type { EventActions } from "../events/event-actions.ts";
import { isJsonObject, type JsonValue } from "../platform/json.ts";
import { applyDelta } from "../sessions/state-delta.ts";

export interface AnswerPolicy {
  /** The agent's own state, if it does not share the session's. */
  readonly privateState: Record<string, JsonValue> | undefined;
  readonly privateArtifacts: boolean;
}

/** Reads the events of an agent that serves as a tool, and determines the tool's result. */
export class AgentToolAnswer {
  readonly #agent: BaseAgent;
  readonly #schema: Schema | undefined;
  /** Calls that wait for a person, with their events. */
  readonly #waiting: { readonly call: FunctionCall; readonly event: Event }[] = [];
  #text = "";
  #error: string | undefined;

  constructor(agent: BaseAgent, schema: Schema | undefined) {
    this.#agent = agent;
    this.#schema = schema;
  }

  /**
   * Accepts a complete event, and returns the form in which it is stored in the session; undefined for a question to
   * the user, which is not asked.
   */
  take(event: Event, { privateState, privateArtifacts }: AnswerPolicy): Event | undefined {
    this.watch(event);
    if (functionCalls(event).some(({ name }) => isReservedCall(name))) return undefined;
    if (privateState !== undefined) applyDelta(privateState, event.actions.stateDelta);
    // The user answers the caller and not its tools, so no call may wait for an answer here. An escalation does not
    // leave the tool either, so that loops around the caller continue.
    const { longRunningToolIds: _, ...rest } = event;
    const { escalate: __, requestedInputs: ___, ...actions } = event.actions;
    const kept: EventActions = {
      ...actions,
      requestedToolConfirmations: {},
      ...(privateState !== undefined && { stateDelta: {} }),
      ...(privateArtifacts && { artifactDelta: {} }),
    };
    return { ...rest, actions: kept };
  }

  /** Reads an event that is stored in the session already. */
  watch(event: Event): void {
    const { content, errorCode, errorMessage, longRunningToolIds } = event;
    for (const call of functionCalls(event)) {
      if (call.id !== undefined && longRunningToolIds?.includes(call.id) === true) this.#waiting.push({ call, event });
    }
    // Earlier text led to this message; the text after it is the answer.
    if (content?.role === "user") this.#text = "";
    else {
      const parts = content?.parts ?? [];
      const texts = parts.flatMap(({ text, thought }) => (text === undefined || thought === true ? [] : [text]));
      if (texts.length > 0) this.#text = texts.join("\n");
      if (texts.length > 0 || errorCode !== undefined) this.#error = errorMessage ?? errorCode;
    }
  }

  /** Responses to the calls that wait for a person, so that none stays open. */
  refusals(): readonly Partial<EventInput>[] {
    const open = this.#waiting.filter(({ call }) => !isReservedCall(call.name));
    return open.map(({ call: { id, name = "" }, event: { author, branch } }) => ({
      author,
      branch,
      content: {
        role: "user",
        parts: [{ functionResponse: { id, name, response: { error: CANNOT_ASK } } }],
      },
    }));
  }

  /** The result that the caller's model gets. */
  async result(): Promise<unknown> {
    const { name } = this.#agent;
    const [open] = this.#waiting;
    if (open !== undefined) return { error: `${name} called ${toolNameOf(open.call)}. ${CANNOT_ASK}` };
    if (this.#error !== undefined) return { error: `${name} failed: ${this.#error}` };
    return this.#schema === undefined ? this.#text : parse(this.#text, this.#schema, name);
  }
}

const CANNOT_ASK = "The call waits for a person, and an agent that serves as a tool cannot ask one.";

/** The tool whose call has to be confirmed, if the call is the framework's question. */
function toolNameOf({ name, args }: FunctionCall): string {
  const original = isReservedCall(name) ? args?.["originalFunctionCall"] : undefined;
  return isJsonObject(original) ? String(original["name"]) : (name ?? "");
}

async function parse(text: string, schema: Schema, name: string): Promise<unknown> {
  const parsed = parseOutput(text);
  if (parsed === undefined) return { error: `${name} should have answered with JSON, and answered: ${text}` };
  const checked = await checkArguments(schema, parsed.value);
  if (checked.ok) return checked.value;
  return { error: `The answer of ${name} does not fit its schema: ${checked.problems.join("; ")}` };
}
