import type { RealtimeInput } from "#kit/models/base-llm-connection.ts";

/** Mean level of 16-bit samples above which a chunk counts as speech. */
const LOUD = 500;
/** Silence after which the user has finished, and speech that is too short to count, in milliseconds. */
const PAUSE_MS = 500;
const SHORTEST_MS = 100;
const DEFAULT_RATE = 16_000;
const BYTES_PER_SAMPLE = 2;

/**
 * Recognises when a user begins and ends to speak, from the level of 16-bit PCM or from the client's own signals. Keeps
 * no sound.
 */
export class SpeechDetector {
  #spokenMs = 0;
  #silentMs = 0;
  #isSpeaking = false;

  /** Returns what this input changes. */
  hear(input: RealtimeInput): "began" | "ended" | undefined {
    if ("activityStart" in input) return this.#begin();
    if ("activityEnd" in input || "audioStreamEnd" in input) return this.#end();
    const { mimeType = "", data = "" } = input.blob;
    if (!mimeType.startsWith("audio/pcm")) return undefined;
    const samples = Buffer.from(data, "base64");
    const durationMs = (samples.length / BYTES_PER_SAMPLE / rateOf(mimeType)) * 1000;
    if (levelOf(samples) > LOUD) {
      this.#silentMs = 0;
      this.#spokenMs += durationMs;
      return this.#spokenMs >= SHORTEST_MS ? this.#begin() : undefined;
    }
    this.#silentMs += durationMs;
    if (this.#silentMs < PAUSE_MS) return undefined;
    return this.#end();
  }

  #begin(): "began" | undefined {
    if (this.#isSpeaking) return undefined;
    this.#isSpeaking = true;
    return "began";
  }

  #end(): "ended" | undefined {
    this.#spokenMs = 0;
    this.#silentMs = 0;
    if (!this.#isSpeaking) return undefined;
    this.#isSpeaking = false;
    return "ended";
  }
}

function rateOf(mimeType: string): number {
  const rate = Number(/rate=(\d{1,6})/.exec(mimeType)?.[1]);
  return rate > 0 ? rate : DEFAULT_RATE;
}

/** The mean of the samples' amounts. */
function levelOf(samples: Buffer): number {
  const count = Math.floor(samples.length / BYTES_PER_SAMPLE);
  let sum = 0;
  for (let index = 0; index < count; index += 1) sum += Math.abs(samples.readInt16LE(index * BYTES_PER_SAMPLE));
  return count === 0 ? 0 : sum / count;
}
