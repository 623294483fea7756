import type { OpenAI } from "openai";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Blob, Transcription } from "#kit/events/content.ts";
import type { SpeechClient, SpeechOptions } from "#kit/models/cascade/speech-client.ts";
import { mapModelError } from "#kit/models/error-mapper.ts";
import { UTTERANCE_HERTZ, utterancesIn } from "#kit/models/live/utterances.ts";
import { ClientCache, MODEL_OPTION_RULES, namesForCall } from "#kit/models/model-options.ts";
import { checkOptions, integer, type OptionRules, record, required, text } from "#kit/schema/check-options.ts";
import { type ClientSettings, clientSettings, createClient, NAMES, type ServerOptions } from "./openai-client.ts";

/** Options of `OpenAiSpeech`. */
export interface OpenAiSpeechOptions extends ServerOptions {
  /** The model that recognizes, and the user's language as ISO 639-1 if it is known. */
  readonly transcription: { readonly model: string; readonly language?: string | undefined };
  /** The model that speaks, its voice, and how it speaks. */
  readonly speech: {
    readonly model: string;
    readonly voice: string;
    readonly instructions?: string | undefined;
  };
  /** How long a silence ends what the user says, in milliseconds; 700 by default. */
  readonly silenceMs?: number | undefined;
}

const RULES: OptionRules<OpenAiSpeechOptions> = {
  apiKey: text,
  baseUrl: MODEL_OPTION_RULES.baseUrl,
  headers: MODEL_OPTION_RULES.headers,
  credentials: MODEL_OPTION_RULES.credentials,
  transcription: required(record({ model: required(text), language: text })),
  speech: required(record({ model: required(text), voice: required(text), instructions: text })),
  silenceMs: integer(100, " milliseconds"),
};

/** The rate of the API's raw sound, in hertz. */
const SPOKEN_HERTZ = 24_000;
/** 200 ms: the user hears the beginning while the rest is made. */
const CHUNK_BYTES = SPOKEN_HERTZ * 2 * 0.2;
/** Nothing was heard or spoken yet when a request fails. */
const MAX_RETRIES = 2;
const MAX_TEXT = 20_000;

/**
 * Speech to text and text to speech of OpenAI, or of a server with its audio API, for `CascadeLive`. The user's
 * utterances are found by their loudness, and each is recognized as a whole. Keys and addresses are found as
 * `OpenAiCompatible` finds them. The constructor throws `INVALID_FIELD`.
 *
 * @example
 * ```ts
 * import { CascadeLive, OpenAiCompatible, OpenAiSpeech } from "fairlead/models";
 *
 * const speech = new OpenAiSpeech({
 *   transcription: { model: "gpt-4o-mini-transcribe" },
 *   speech: { model: "gpt-4o-mini-tts", voice: "alloy" },
 * });
 * export const model = new CascadeLive({ model: new OpenAiCompatible({ model: "gpt-6.1-sol" }), speech });
 * ```
 */
export class OpenAiSpeech implements SpeechClient {
  readonly #options: OpenAiSpeechOptions;
  readonly #clients: ClientCache<ClientSettings, OpenAI>;

  constructor(options: OpenAiSpeechOptions) {
    checkOptions("new OpenAiSpeech", options, RULES);
    this.#options = options;
    this.#clients = new ClientCache((settings) => createClient(settings, options));
  }

  async *transcribe(sound: AsyncIterable<Blob>, { signal }: SpeechOptions): AsyncGenerator<Transcription, void> {
    const { transcription, silenceMs = 700 } = this.#options;
    for await (const utterance of utterancesIn(sound, { silenceMs })) {
      signal.throwIfAborted();
      const text = await this.#call(signal, async (client) => {
        const file = new File([wavOf(utterance)], "speech.wav", { type: "audio/wav" });
        const body = { ...transcription, file, response_format: "json" as const };
        return (await client.audio.transcriptions.create(body, { signal, maxRetries: MAX_RETRIES })).text;
      });
      if (typeof text === "string" && text.trim() !== "") yield { text: text.slice(0, MAX_TEXT), finished: true };
    }
  }

  async *synthesize(words: string, { signal }: SpeechOptions): AsyncGenerator<Blob, void> {
    const { speech } = this.#options;
    const spoken = await this.#call(signal, async (client) => {
      const body = { ...speech, input: words, response_format: "pcm" as const };
      return (await client.audio.speech.create(body, { signal, maxRetries: MAX_RETRIES })).body;
    });
    if (spoken === null) return;
    let rest = Buffer.alloc(0);
    const reader = spoken.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#call(signal, () => reader.read());
        if (done) break;
        rest = Buffer.concat([rest, value]);
        for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES))
          yield blobOf(rest.subarray(0, CHUNK_BYTES));
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
    // Half a sample at the end would be a click.
    const whole = rest.subarray(0, rest.length - (rest.length % 2));
    if (whole.length > 0) yield blobOf(whole);
  }

  async close(): Promise<void> {}

  /** Failures of the service become `ModelError`s without the key. */
  async #call<Result>(signal: AbortSignal, use: (client: OpenAI) => Promise<Result>): Promise<Result> {
    const names = namesForCall(NAMES, this.#options);
    const settings = clientSettings({ ...this.#options, model: this.#options.speech.model });
    names.secrets.add(settings.apiKey);
    try {
      return await use(await this.#clients.get(settings));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof PlatformError ? error : mapModelError(error, names);
    }
  }
}

function blobOf(sound: Buffer): Blob {
  return { mimeType: `audio/pcm;rate=${SPOKEN_HERTZ}`, data: sound.toString("base64") };
}

/** A file of mono samples with 16 bits (RIFF WAVE). */
function wavOf(samples: Buffer): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(UTTERANCE_HERTZ, 24);
  header.writeUInt32LE(UTTERANCE_HERTZ * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
