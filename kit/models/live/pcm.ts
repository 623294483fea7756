/** The rate in a MIME type such as `audio/pcm;rate=24000`, in hertz. */
export function rateOf(mimeType: string, otherwise: number): number {
  const [, rate] = /;\s*rate=(\d{4,6})\b/i.exec(mimeType) ?? [];
  return rate === undefined ? otherwise : Number(rate);
}

/** Whether the MIME type names raw sound with 16 bits. */
export function isPcm(mimeType: string): boolean {
  return /^audio\/(pcm|l16)(;|$)/i.test(mimeType);
}

/**
 * Converts mono sound with 16 bits, little-endian, from one sample rate to another by straight lines between samples:
 * enough for speech. Chunks follow each other without clicks.
 */
export class PcmResampler {
  readonly #step: number;
  /** The last sample of the chunk before. */
  #last: number | undefined;
  /** The position of the next sample, counted from the last sample of the chunk before. */
  #position = 0;

  constructor(fromHertz: number, toHertz: number) {
    this.#step = fromHertz / toHertz;
  }

  push(chunk: Buffer): Buffer {
    if (this.#step === 1) return chunk;
    const count = Math.floor(chunk.length / 2);
    if (count === 0) return Buffer.alloc(0);
    const sample = (index: number): number =>
      index < 0 ? (this.#last ?? chunk.readInt16LE(0)) : chunk.readInt16LE(Math.min(index, count - 1) * 2);
    // Sample 0 of the chunk is one after the last one of the chunk before.
    let position = this.#last === undefined ? 0 : this.#position - 1;
    const samples: number[] = [];
    for (; position <= count - 1; position += this.#step) {
      const before = Math.floor(position);
      const share = position - before;
      samples.push(Math.round(sample(before) * (1 - share) + sample(before + 1) * share));
    }
    this.#last = chunk.readInt16LE((count - 1) * 2);
    this.#position = position - (count - 1);
    const converted = Buffer.alloc(samples.length * 2);
    samples.forEach((value, index) => {
      converted.writeInt16LE(value, index * 2);
    });
    return converted;
  }
}
