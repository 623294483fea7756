import type { Content } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** Calls whose answers may still come. */
const MAX_CALLS = 1000;

/** Which session has made which call of a tool: another session does not know its id. */
export class CallOrigins<Session> {
  readonly #calls = new Map<string, { readonly by: Session; readonly position: number }>();

  /** `position`: the end of the conversation's log with the calls. */
  note({ content }: LlmResponse, by: Session, position: number): void {
    for (const { functionCall } of content?.parts ?? [])
      if (functionCall?.id !== undefined) this.#calls.set(functionCall.id, { by, position });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MAX_CALLS) break;
      this.#calls.delete(oldest);
    }
  }

  /** Whether the content answers calls that the session has not made and does not know from the log up to a position. */
  areUnknown({ parts = [] }: Content, to: Session, knownPosition: number): boolean {
    return parts.some(({ functionResponse }) => {
      const call = this.#calls.get(functionResponse?.id ?? "");
      return call !== undefined && call.by !== to && call.position > knownPosition;
    });
  }
}
