import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** Eight minutes of 24 kHz sound in base64: a reader that is further behind does not come back. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Places of responses that were read are removed once there are this many and they are half of the list. */
const COMPACT_AT = 1024;
/** Memory of a response besides its texts and media. */
const RESPONSE_BYTES = 256;

interface Waiting {
  readonly response: LlmResponse;
  readonly bytes: number;
}

/** The responses of a live connection until they are read. */
export class ResponseQueue {
  #items: (Waiting | undefined)[] = [];
  /** The place of the next one that is read. */
  #next = 0;
  #bytes = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;
  #isRead = false;

  /** Has no effect after the end. */
  push(response: LlmResponse): void {
    if (this.#end !== undefined) return;
    const bytes = bytesOf(response);
    this.#bytes += bytes;
    if (this.#bytes > MAX_WAITING_BYTES)
      return this.end(new PlatformError("MODEL_ANSWER_TOO_LARGE", "The responses of the live model are not read."));
    this.#items.push({ response, bytes });
    this.#wake?.();
  }

  /** What has arrived is still read; then the error is thrown, if there is one. The first end counts. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Can be read once. */
  async *read(): AsyncGenerator<LlmResponse, void, undefined> {
    if (this.#isRead) throw new PlatformError("INVALID_FIELD", "The responses of a live connection can be read once.");
    this.#isRead = true;
    for (;;) {
      const next = this.#take();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  /** Nothing refers to a response that was taken: a long list would keep what was read until all of it is. */
  #take(): LlmResponse | undefined {
    if (this.#next === this.#items.length) {
      this.#items = [];
      this.#next = 0;
      return undefined;
    }
    const taken = this.#items[this.#next];
    this.#items[this.#next] = undefined;
    this.#next += 1;
    if (this.#next >= COMPACT_AT && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    this.#bytes -= taken?.bytes ?? 0;
    return taken?.response;
  }
}

/** About how much memory a response needs: a provider may send any number of any kind. */
export function bytesOf({ content, inputTranscription, outputTranscription }: LlmResponse): number {
  let bytes = RESPONSE_BYTES;
  for (const { inlineData, text, functionCall } of content?.parts ?? []) {
    bytes += (inlineData?.data?.length ?? 0) + (text?.length ?? 0) + RESPONSE_BYTES;
    if (functionCall !== undefined) bytes += JSON.stringify(functionCall).length;
  }
  for (const transcription of [inputTranscription, outputTranscription]) bytes += transcription?.text?.length ?? 0;
  return bytes;
}
