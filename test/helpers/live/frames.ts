/** 20 ms at 16 kHz. */
const SAMPLES = 320;

/** A frame of sound whose samples all are its number, so that the number outlives another sample rate. */
export function frame(number: number): { readonly blob: { readonly mimeType: string; readonly data: string } } {
  const samples = new Int16Array(SAMPLES).fill(number);
  return { blob: { mimeType: "audio/pcm;rate=16000", data: Buffer.from(samples.buffer).toString("base64") } };
}

export function frameNumber(data: string): number {
  const bytes = Buffer.from(data, "base64");
  return bytes.readInt16LE(Math.floor(bytes.length / 4) * 2);
}

/** The numbers without repetitions, in the order of their first arrival. */
export function firstArrivals(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)];
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
