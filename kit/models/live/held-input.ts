import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
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

  /** The oldest turn of the user, or answer to calls, that the model has not answered; 0 if there is none. */
  get firstTurn(): number {
    const turn = this.#held.find(
      ({ input }) => input.kind === "history" || (input.kind === "content" && input.turnComplete),
    );
    return turn?.input.sequence ?? 0;
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

  /** Removes the turns up to this number, and returns their contents. */
  consumeTurns(sequence: number): readonly Content[] {
    const contents: Content[] = [];
    this.#remove(({ input }) => {
      if (input.kind === "realtime" || input.sequence > sequence) return false;
      if (input.kind === "content") contents.push(input.content);
      return true;
    });
    return contents;
  }

  /** Removes the media and signals up to this number. */
  consumeMedia(sequence: number): void {
    this.#remove(({ input }) => input.kind === "realtime" && input.sequence <= sequence);
    if (this.#dropped.last <= sequence) this.#dropped = { last: 0, chunks: 0, bytes: 0 };
  }

  /** Removes one input, which is not to be sent again. */
  forget({ sequence }: LiveInput): void {
    this.#remove(({ input }) => input.sequence === sequence);
  }

  /** The media that is missing among the held input; undefined if there is none. Counts each once. */
  takeDropped(): { readonly chunks: number; readonly bytes: number } | undefined {
    const { chunks, bytes } = this.#dropped;
    this.#dropped = { last: 0, chunks: 0, bytes: 0 };
    return chunks === 0 ? undefined : { chunks, bytes };
  }

  #remove(isGone: (held: Held) => boolean): void {
    this.#held = this.#held.filter((held) => {
      if (!isGone(held)) return true;
      if (held.isMedia) this.#mediaBytes -= held.bytes;
      else this.#contentBytes -= held.bytes;
      return false;
    });
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
