import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { bytesOf } from "./response-queue.ts";

/** Several times what the conversation's log keeps of all turns. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The complete responses of a turn until it ends. A provider that never ends it has said too much at some point. */
export class SaidResponses {
  #responses: LlmResponse[] = [];
  #bytes = 0;

  static error(): PlatformError {
    return new PlatformError("MODEL_ANSWER_TOO_LARGE", "The live model says too much in one turn.");
  }

  /** False if there are too many. `isEarlier`: it belongs before the others. */
  add(response: LlmResponse, isEarlier: boolean): boolean {
    if (response.partial === true && !isEarlier) return true;
    this.#bytes += bytesOf(response);
    if (isEarlier) this.#responses.unshift(response);
    else this.#responses.push(response);
    return this.#bytes <= MAX_BYTES;
  }

  /** Returns the responses, and forgets them. */
  take(): readonly LlmResponse[] {
    const taken = this.#responses;
    this.#responses = [];
    this.#bytes = 0;
    return taken;
  }
}
