import type { Content } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { LiveInput } from "./live-session.ts";

/** The effect of a response on the turn in progress. */
export type TurnStep =
  | "none"
  /** The first response of an answer. */
  | "begins"
  /** The answer is whole, was interrupted, or is a call of tools: the input before it is not needed any more. */
  | "ends";

/** Whether the model answers, is about to answer, or waits for tools. */
export class TurnState {
  readonly #calls = new Set<string>();
  #isAnswering = false;
  #isGenerated = false;
  #isAwaited = false;

  /** Nothing is lost if the session is replaced now. */
  get isIdle(): boolean {
    return !this.#isAnswering && !this.#isAwaited && this.#calls.size === 0;
  }

  sent(input: LiveInput): void {
    if (input.kind === "history") this.#isAwaited = endsWithUser(input.history);
    if (input.kind !== "content") return;
    for (const { functionResponse } of input.content.parts ?? [])
      if (functionResponse?.id !== undefined) this.#calls.delete(functionResponse.id);
    if (input.turnComplete) this.#isAwaited = true;
  }

  received(response: LlmResponse): TurnStep {
    const { content, outputTranscription, turnComplete, interrupted, generationComplete, cancelledCallIds } = response;
    for (const id of cancelledCallIds ?? []) this.#calls.delete(id);
    const calls = response.partial === true ? [] : callIdsOf(content);
    for (const id of calls) this.#calls.add(id);
    if (generationComplete === true) this.#isGenerated = true;
    if (turnComplete === true || interrupted === true) {
      this.#isAnswering = false;
      this.#isGenerated = false;
      this.#isAwaited = response.interactionStatus === "IN_PROGRESS";
      return "ends";
    }
    if (calls.length > 0 || generationComplete === true) return "ends";
    if (content === undefined && outputTranscription === undefined) return "none";
    const begins = !this.#isAnswering;
    this.#isAnswering = true;
    return begins ? "begins" : "none";
  }

  /** The responses that close the turn for the caller when the session breaks within it. */
  break(): readonly LlmResponse[] {
    const wasAnswering = this.#isAnswering;
    const wasGenerated = this.#isGenerated;
    this.#isAnswering = false;
    this.#isGenerated = false;
    if (!wasAnswering) return [];
    // The client has the whole answer; it only was not played to its end.
    return [wasGenerated ? { turnComplete: true } : { interrupted: true }];
  }
}

export function endsWithUser(history: readonly Content[]): boolean {
  return history.at(-1)?.role === "user";
}

function callIdsOf(content: Content | undefined): readonly string[] {
  return (content?.parts ?? []).flatMap(({ functionCall }) => functionCall?.id ?? []);
}
