import type { Blob, Transcription } from "#kit/events/content.ts";

/** How a speech client recognizes or speaks. */
export interface SpeechOptions {
  /** Ends the recognition or the synthesis: the iteration then ends, or throws the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Speech to text and text to speech, for `CascadeLive`. One client may serve several conversations at the same time.
 *
 * @example
 * ```ts
 * import type { SpeechClient } from "fairlead/models";
 *
 * export function speechClient(recognizer: {
 *   recognize(chunk: string): Promise<string | undefined>;
 *   speak(text: string): Promise<string>;
 *   disconnect(): Promise<void>;
 * }): SpeechClient {
 *   return {
 *     async *transcribe(sound) {
 *       for await (const { data = "" } of sound) {
 *         const text = await recognizer.recognize(data);
 *         if (text !== undefined) yield { text, finished: true };
 *       }
 *     },
 *     async *synthesize(text) {
 *       yield { mimeType: "audio/pcm;rate=24000", data: await recognizer.speak(text) };
 *     },
 *     close: () => recognizer.disconnect(),
 *   };
 * }
 * ```
 */
export interface SpeechClient {
  /**
   * Recognizes the user's speech: for each utterance any number of texts with `finished: false`, each with the whole
   * utterance so far, then one with `finished: true`. The sound ends when the user's microphone is muted or the
   * conversation ends; what is left is then recognized. Throws if the service fails.
   */
  transcribe(sound: AsyncIterable<Blob>, options: SpeechOptions): AsyncIterable<Transcription>;
  /** Speaks a text of a few sentences: chunks of sound with their MIME type, in order. Throws if the service fails. */
  synthesize(text: string, options: SpeechOptions): AsyncIterable<Blob>;
  /** Releases what the client holds, such as connections. Idempotent; the client is not used afterwards. */
  close(): Promise<void>;
}
