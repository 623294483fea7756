import type { Blob, Transcription } from "../events/content.ts";
import type { SpeechClient, SpeechOptions } from "../models/cascade/speech-client.ts";

/**
 * A speech client for tests, whose sound is text in base64: the user's utterance ends with a chunk that ends with a full
 * stop, a question mark or an exclamation mark, or with the sound. Answers are spoken word by word.
 *
 * @example
 * ```ts
 * import { CascadeLive } from "fairlead/models";
 * import { ScriptedModel, ScriptedSpeech } from "fairlead/kit/testing";
 *
 * const model = new CascadeLive({ model: new ScriptedModel(["Fine."]), speech: new ScriptedSpeech() });
 * ```
 */
export class ScriptedSpeech implements SpeechClient {
  /** The texts that were spoken, also those that were interrupted. */
  readonly spoken: string[] = [];
  isClosed = false;

  /** The sound of a text. */
  static sound(text: string): Blob {
    return { mimeType: "audio/pcm;rate=16000", data: Buffer.from(text).toString("base64") };
  }

  async *transcribe(sound: AsyncIterable<Blob>, { signal }: SpeechOptions): AsyncGenerator<Transcription> {
    let text = "";
    for await (const { data = "" } of sound) {
      signal.throwIfAborted();
      text += Buffer.from(data, "base64").toString();
      const finished = /[.?!]$/.test(text);
      yield { text, finished };
      if (finished) text = "";
    }
    if (text !== "") yield { text, finished: true };
  }

  async *synthesize(text: string, { signal }: SpeechOptions): AsyncGenerator<Blob> {
    this.spoken.push(text);
    for (const word of text.match(/\S+\s*/g) ?? []) {
      signal.throwIfAborted();
      yield { ...ScriptedSpeech.sound(word), mimeType: "audio/pcm;rate=24000" };
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
