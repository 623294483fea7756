import { PcmResampler, rateOf } from "#kit/models/live/pcm.ts";
import { REALTIME_HERTZ } from "./realtime-setup.ts";

/** The rate of clients of the Gemini Live API. */
const DEFAULT_HERTZ = 16_000;
/** Two bytes a sample. */
const BYTES_PER_MS = (REALTIME_HERTZ * 2) / 1000;

/** The user's sound as the session takes it: one format, whatever the client sends. */
export class SpokenInput {
  #rate = 0;
  #resampler: PcmResampler | undefined;

  /** Returns base64; empty if the chunk is too short for a sample. */
  convert({ mimeType = "", data = "" }: { readonly mimeType?: string; readonly data?: string }): string {
    const rate = rateOf(mimeType, DEFAULT_HERTZ);
    if (rate === REALTIME_HERTZ) return data;
    if (rate !== this.#rate) this.#resampler = undefined;
    this.#rate = rate;
    this.#resampler ??= new PcmResampler(rate, REALTIME_HERTZ);
    return this.#resampler.push(Buffer.from(data, "base64")).toString("base64");
  }
}

/** How much of the newest answer the client can have played: it plays in real time, from the first chunk on. */
export class PlayedOutput {
  readonly #now: () => number;
  #item: { readonly id: string; readonly startedAt: number; durationMs: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(itemId: string, base64: string): void {
    if (this.#item?.id !== itemId) this.#item = { id: itemId, startedAt: this.#now(), durationMs: 0 };
    this.#item.durationMs += Math.floor((base64.length * 3) / 4 / BYTES_PER_MS);
  }

  /** The item that is being played and how much of it was; undefined if nothing is. */
  interrupt(): { readonly itemId: string; readonly playedMs: number } | undefined {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined) return undefined;
    const playedMs = Math.floor(this.#now() - item.startedAt);
    return playedMs < item.durationMs ? { itemId: item.id, playedMs } : undefined;
  }
}
