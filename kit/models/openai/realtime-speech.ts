import { PcmResampler, rateOf } from "#kit/models/live/pcm.ts";
import { REALTIME_HERTZ } from "./realtime-setup.ts";

/** The rate of clients of the Gemini Live API. */
const DEFAULT_HERTZ = 16_000;

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
