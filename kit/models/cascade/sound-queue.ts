import type { Blob } from "#kit/events/content.ts";

/** Three minutes of 16 kHz sound in base64. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;

/** The user's sound on its way to the recognition. The oldest is dropped if the recognition is too slow. */
export class SoundQueue implements AsyncIterable<Blob> {
  readonly #waiting: Blob[] = [];
  #characters = 0;
  #dropped = { chunks: 0, bytes: 0 };
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** Has no effect after the end. */
  push(chunk: Blob): void {
    if (this.#hasEnded) return;
    this.#waiting.push(chunk);
    this.#characters += sizeOf(chunk);
    while (this.#characters > MAX_WAITING_CHARACTERS && this.#waiting.length > 1) this.#drop();
    this.#wake?.();
  }

  /** Chunks that wait are still read. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** The size of the dropped chunks since the last call. */
  takeDropped(): { readonly chunks: number; readonly bytes: number } | undefined {
    const dropped = this.#dropped;
    this.#dropped = { chunks: 0, bytes: 0 };
    return dropped.chunks === 0 ? undefined : dropped;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Blob, void, undefined> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) {
        this.#characters -= sizeOf(chunk);
        yield chunk;
      } else if (this.#hasEnded) {
        return;
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }

  #drop(): void {
    const bytes = sizeOf(this.#waiting.shift() ?? {});
    this.#characters -= bytes;
    this.#dropped = { chunks: this.#dropped.chunks + 1, bytes: this.#dropped.bytes + bytes };
  }
}

function sizeOf({ data = "" }: Blob): number {
  return data.length;
}
