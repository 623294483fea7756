import type { Blob } from "#kit/events/content.ts";
import { rateOf } from "./pcm.ts";

const DEFAULT_HERTZ = 24_000;

/** How much of the newest answer the client can have played: it plays in real time, from the first chunk on. */
export class PlayedOutput {
  readonly #now: () => number;
  #item: { readonly id: string; readonly startedAt: number; durationMs: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a chunk of sound with 16 bits. */
  add(id: string, { mimeType = "", data = "" }: Blob): void {
    if (this.#item?.id !== id) this.#item = { id, startedAt: this.#now(), durationMs: 0 };
    const bytes = Math.floor((data.length * 3) / 4);
    this.#item.durationMs += (bytes * 500) / rateOf(mimeType, DEFAULT_HERTZ);
  }

  /** Forgets the answer, and returns how much of it was played; undefined if nothing is being played. */
  interrupt(): { readonly id: string; readonly playedMs: number } | undefined {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined) return undefined;
    const playedMs = Math.floor(this.#now() - item.startedAt);
    return playedMs < item.durationMs ? { id: item.id, playedMs } : undefined;
  }
}
