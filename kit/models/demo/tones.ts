import type { Blob } from "#kit/events/content.ts";

const RATE = 24_000;
const MS_PER_CHARACTER = 25;
const LONGEST_MS = 300;
const AMPLITUDE = 6000;
/** Samples over which a tone becomes loud and quiet, so that it does not click. */
const FADE = 120;

/** A word as sound: a tone of 16-bit PCM at 24 kHz, as the live models of Gemini speak. Longer words last longer. */
export function toneOf(word: string): Blob {
  const characters = word.trim().length;
  const samples = Math.floor((RATE * Math.min(characters * MS_PER_CHARACTER, LONGEST_MS)) / 1000);
  const hertz = 220 + ((word.codePointAt(0) ?? 0) % 24) * 20;
  const sound = Buffer.alloc(samples * 2);
  for (let index = 0; index < samples; index += 1) {
    const fade = Math.min(1, index / FADE, (samples - index) / FADE);
    const value = Math.sin((2 * Math.PI * hertz * index) / RATE) * AMPLITUDE * fade;
    sound.writeInt16LE(Math.round(value), index * 2);
  }
  return { mimeType: `audio/pcm;rate=${RATE}`, data: sound.toString("base64") };
}
