/** 20 ms of 16 kHz sound with 16 bits. */
const FRAME_BYTES = 640;

/** A frame of sound that has its number in its first bytes. */
export function frame(number: number): { readonly blob: { readonly mimeType: string; readonly data: string } } {
  const bytes = Buffer.alloc(FRAME_BYTES);
  bytes.writeUInt32LE(number, 0);
  return { blob: { mimeType: "audio/pcm;rate=16000", data: bytes.toString("base64") } };
}

export function frameNumber(data: string): number {
  return Buffer.from(data, "base64").readUInt32LE(0);
}

/** The numbers without repetitions, in the order of their first arrival. */
export function firstArrivals(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)];
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
