import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LiveInput } from "./live-session.ts";

/** Three minutes of 16 kHz sound in base64: longer than any provider needs between two handles. */
export const MAX_HELD_MEDIA_BYTES = 8 * 1024 * 1024;
/** Turns of the user and answers of tools that no model has taken yet. */
const MAX_HELD_CONTENT_BYTES = 32 * 1024 * 1024;
/** A signal, or a turn's end. */
const SMALL_BYTES = 32;

interface Held {
  readonly input: LiveInput;
  readonly bytes: number;
  readonly isMedia: boolean;
}

/**
 * Input that the next session needs if the present one breaks, in order. Above its bounds the oldest media is dropped;
 * contents are never dropped.
 */
export class HeldInput {
  readonly #maxMediaBytes: number;
  #held: Held[] = [];
  #mediaBytes = 0;
  #contentBytes = 0;
  #dropped = { last: 0, chunks: 0, bytes: 0 };

  constructor(maxMediaBytes = MAX_HELD_MEDIA_BYTES) {
    this.#maxMediaBytes = maxMediaBytes;
  }

  get size(): number {
    return this.#held.length;
  }

  get inputs(): readonly LiveInput[] {
    return this.#held.map(({ input }) => input);
  }

  /** Throws `QUEUE_FULL` for contents beyond the bound. */
  add(input: LiveInput): void {
    const isMedia = input.kind === "realtime" && "blob" in input.input;
    const bytes = sizeOf(input);
    if (isMedia) {
      this.#mediaBytes += bytes;
    } else {
      if (this.#contentBytes + bytes > MAX_HELD_CONTENT_BYTES)
        throw new PlatformError(
          "QUEUE_FULL",
          "The model takes no input, and too much of it waits. Send it again later.",
        );
      this.#contentBytes += bytes;
    }
    this.#held.push({ input, bytes, isMedia });
    if (this.#mediaBytes > this.#maxMediaBytes) this.#dropOldest();
  }

  /** Removes the input up to this number, and returns it. */
  consume(sequence: number): readonly LiveInput[] {
    let count = 0;
    for (const { input, bytes, isMedia } of this.#held) {
      if (input.sequence > sequence) break;
      count += 1;
      if (isMedia) this.#mediaBytes -= bytes;
      else this.#contentBytes -= bytes;
    }
    if (this.#dropped.last <= sequence) this.#dropped = { last: 0, chunks: 0, bytes: 0 };
    return count === 0 ? [] : this.#held.splice(0, count).map(({ input }) => input);
  }

  /** Removes one input, which is not to be sent again. */
  forget({ sequence }: LiveInput): void {
    this.#held = this.#held.filter(({ input, bytes, isMedia }) => {
      if (input.sequence !== sequence) return true;
      if (isMedia) this.#mediaBytes -= bytes;
      else this.#contentBytes -= bytes;
      return false;
    });
  }

  /** The media that is missing among the held input; undefined if there is none. Counts each once. */
  takeDropped(): { readonly chunks: number; readonly bytes: number } | undefined {
    const { chunks, bytes } = this.#dropped;
    this.#dropped = { last: 0, chunks: 0, bytes: 0 };
    return chunks === 0 ? undefined : { chunks, bytes };
  }

  /** Drops a tenth, so that not each new chunk searches for the oldest one. */
  #dropOldest(): void {
    const target = this.#maxMediaBytes * 0.9;
    this.#held = this.#held.filter(({ input, bytes, isMedia }) => {
      if (!isMedia || this.#mediaBytes <= target) return true;
      this.#mediaBytes -= bytes;
      const { chunks, bytes: before } = this.#dropped;
      this.#dropped = { last: input.sequence, chunks: chunks + 1, bytes: before + bytes };
      return false;
    });
  }
}

function sizeOf(input: LiveInput): number {
  if (input.kind === "content") return JSON.stringify(input.content).length;
  // The history belongs to the caller.
  if (input.kind === "history") return SMALL_BYTES;
  return "blob" in input.input ? (input.input.blob.data?.length ?? 0) + SMALL_BYTES : SMALL_BYTES;
}
