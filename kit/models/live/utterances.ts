import type { Blob } from "#kit/events/content.ts";
import { PcmResampler, rateOf } from "./pcm.ts";

/** The rate of the sound of an utterance, in hertz: what recognizers work with. */
export const UTTERANCE_HERTZ = 16_000;

const BYTES_PER_MS = (UTTERANCE_HERTZ * 2) / 1000;
const FRAME_MS = 20;
const FRAME_BYTES = FRAME_MS * BYTES_PER_MS;
/** Sound before the first loud frame: a word begins softly. */
const BEFORE_MS = 300;
/** Shorter sound is a click. */
const LEAST_SPEECH_MS = 100;
/** A longer utterance is cut: recognizers take files of a limited length. */
const LONGEST_MS = 60_000;
/** Root mean squares of samples with 16 bits. Anything below is silence, whatever the room. */
const QUIET = 300;
/** Speech is so much louder than the room. */
const OVER_ROOM = 3;

export interface UtteranceOptions {
  /** How long a silence ends an utterance, in milliseconds. */
  readonly silenceMs: number;
}

/**
 * The utterances in the sound of a microphone, each as mono samples with 16 bits, little-endian, at `UTTERANCE_HERTZ`. An
 * utterance is what is louder than the room, up to the next silence. Constant work for each frame; of silence nothing is
 * kept but the last moment.
 */
export async function* utterancesIn(
  sound: AsyncIterable<Blob>,
  { silenceMs }: UtteranceOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const cutter = new UtteranceCutter(silenceMs);
  let rate = 0;
  let resampler = new PcmResampler(1, 1);
  for await (const { mimeType = "", data = "" } of sound) {
    const given = rateOf(mimeType, UTTERANCE_HERTZ);
    if (given !== rate) {
      rate = given;
      resampler = new PcmResampler(rate, UTTERANCE_HERTZ);
    }
    yield* cutter.push(resampler.push(Buffer.from(data, "base64")));
  }
  const rest = cutter.end();
  if (rest !== undefined) yield rest;
}

class UtteranceCutter {
  readonly #silenceFrames: number;
  /** Bytes that are no whole frame yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** The frames of the utterance, or the last moment before it. */
  #frames: Buffer[] = [];
  #loudFrames = 0;
  #quietFrames = 0;
  #isSpeech = false;
  #room = QUIET / OVER_ROOM;

  constructor(silenceMs: number) {
    this.#silenceFrames = Math.ceil(silenceMs / FRAME_MS);
  }

  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (; at + FRAME_BYTES <= bytes.length; at += FRAME_BYTES) {
      const utterance = this.#take(bytes.subarray(at, at + FRAME_BYTES));
      if (utterance !== undefined) yield utterance;
    }
    this.#rest = bytes.subarray(at);
  }

  end(): Buffer | undefined {
    return this.#isSpeech ? this.#cut() : undefined;
  }

  #take(frame: Buffer): Buffer | undefined {
    const level = loudness(frame);
    const isLoud = level > Math.max(QUIET, this.#room * OVER_ROOM);
    this.#frames.push(frame);
    if (isLoud) {
      this.#isSpeech = true;
      this.#loudFrames += 1;
      this.#quietFrames = 0;
    } else {
      // Falls fast and rises slowly, so that soft speech does not become the room.
      this.#room += (level - this.#room) * (level < this.#room ? 0.2 : 0.02);
      this.#quietFrames += 1;
    }
    if (!this.#isSpeech) {
      if (this.#frames.length > BEFORE_MS / FRAME_MS) this.#frames.shift();
      return undefined;
    }
    const isOver = this.#quietFrames >= this.#silenceFrames || this.#frames.length >= LONGEST_MS / FRAME_MS;
    return isOver ? this.#cut() : undefined;
  }

  /** The utterance; undefined for a click. */
  #cut(): Buffer | undefined {
    const utterance = this.#loudFrames * FRAME_MS < LEAST_SPEECH_MS ? undefined : Buffer.concat(this.#frames);
    this.#frames = [];
    this.#loudFrames = 0;
    this.#quietFrames = 0;
    this.#isSpeech = false;
    return utterance;
  }
}

/** The root mean square of the samples. */
function loudness(frame: Buffer): number {
  let sum = 0;
  for (let at = 0; at < frame.length; at += 2) sum += frame.readInt16LE(at) ** 2;
  return Math.sqrt(sum / (frame.length / 2));
}
