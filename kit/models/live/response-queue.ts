import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** Half an hour of 24 kHz sound in base64: a reader that is further behind does not come back. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

/** The responses of a live connection until they are read. */
export class ResponseQueue {
  #items: LlmResponse[] = [];
  #bytes = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;
  #isRead = false;

  /** Has no effect after the end. */
  push(response: LlmResponse): void {
    if (this.#end !== undefined) return;
    this.#bytes += mediaBytes(response);
    if (this.#bytes > MAX_WAITING_BYTES)
      return this.end(new PlatformError("MODEL_ANSWER_TOO_LARGE", "The responses of the live model are not read."));
    this.#items.push(response);
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
      const items = this.#items;
      this.#items = [];
      for (const item of items) {
        this.#bytes -= mediaBytes(item);
        yield item;
      }
      if (this.#items.length > 0) continue;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

function mediaBytes({ content }: LlmResponse): number {
  let bytes = 0;
  for (const { inlineData, text } of content?.parts ?? []) bytes += (inlineData?.data ?? text)?.length ?? 0;
  return bytes;
}
