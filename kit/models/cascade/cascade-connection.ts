import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { type Content, modelContent, type Part, type Transcription, userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { PlayedOutput } from "#kit/models/live/played-output.ts";
import { ResponseQueue } from "#kit/models/live/response-queue.ts";
import { endsWithUser } from "#kit/models/live/turn-state.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { withCallIds, withPairedCalls } from "./paired-calls.ts";
import { Sentences } from "./sentences.ts";
import { SoundQueue } from "./sound-queue.ts";
import type { SpeechClient } from "./speech-client.ts";

export interface CascadeOptions {
  readonly model: BaseLlm;
  readonly speech: SpeechClient;
  readonly request: LlmRequest;
  /** False: the answers are texts. */
  readonly speaks: boolean;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
}

/** An answer in progress, and its text that was spoken or written. */
interface Answer {
  readonly id: string;
  /** How many sends it is about. */
  readonly sends: number;
  readonly stop: AbortController;
  spoken: string;
}

/** A minute of sound. Older sound without words is silence. */
const MAX_UNSETTLED = 3000;
/** Images of a camera that the model gets with the user's next words: the newest only. */
const MAX_IMAGES = 1;

/** A live conversation with a text model. It has one answer at a time. */
export class CascadeConnection implements BaseLlmConnection {
  readonly #options: CascadeOptions;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #queue = new ResponseQueue();
  readonly #contents: Content[] = [];
  readonly #played: PlayedOutput;
  #images: Part[] = [];
  #answers = 0;
  #sends = 0;
  /** How many sends the answers so far are about. */
  #settled = 0;
  #sound: SoundQueue | undefined;
  #answer: Answer | undefined;

  constructor(options: CascadeOptions) {
    this.#options = options;
    this.#played = new PlayedOutput(() => (options.clock ?? systemClock).monotonic());
    this.#signal = AbortSignal.any([options.signal, this.#closing.signal]);
    this.#signal.addEventListener("abort", () => this.#finish(), { once: true });
  }

  get unsettled(): number {
    return Math.min(this.#sends - this.#settled, MAX_UNSETTLED);
  }

  async sendHistory(
    history: readonly Content[],
    { turnComplete = true }: { readonly turnComplete?: boolean } = {},
  ): Promise<void> {
    this.#sends += 1;
    this.#contents.push(...history);
    if (turnComplete && endsWithUser(history)) this.#begin();
  }

  async sendContent(
    content: Content,
    { turnComplete = true }: { readonly turnComplete?: boolean } = {},
  ): Promise<void> {
    this.#sends += 1;
    const answersCalls = content.parts?.some(({ functionResponse }) => functionResponse !== undefined) === true;
    if (!answersCalls) this.#interrupt();
    this.#contents.push({ ...content, role: content.role ?? "user" });
    if (turnComplete) this.#begin();
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    if (this.#signal.aborted) return;
    this.#sends += 1;
    if ("activityStart" in input) return this.#interrupt();
    // The user is silent: what was said is recognized.
    if ("activityEnd" in input || "audioStreamEnd" in input) return this.#endSound();
    const { blob } = input;
    const { mimeType = "" } = blob;
    if (mimeType.startsWith("image/")) {
      this.#images = [...this.#images, { inlineData: blob }].slice(-MAX_IMAGES);
    } else if (mimeType.startsWith("audio/")) {
      this.#sound ??= this.#listen();
      this.#sound.push(blob);
      const dropped = this.#sound.takeDropped();
      if (dropped !== undefined) this.#queue.push({ liveInputDropped: dropped });
    } else {
      throw new PlatformError("INVALID_FIELD", `blob.mimeType is "${mimeType}": give sound or an image.`, {
        details: { field: "blob.mimeType" },
      });
    }
  }

  receive(): AsyncIterable<LlmResponse> {
    return this.#queue.read();
  }

  async close(): Promise<void> {
    this.#closing.abort(new PlatformError("LIVE_NOT_SUPPORTED", "The live connection is closed."));
    this.#finish();
  }

  #endSound(): void {
    this.#sound?.end();
    this.#sound = undefined;
  }

  #listen(): SoundQueue {
    const sound = new SoundQueue();
    void this.#guard(async () => {
      const { speech } = this.#options;
      for await (const said of speech.transcribe(sound, { signal: this.#signal })) this.#hear(said);
    });
    return sound;
  }

  #hear({ text = "", finished = false }: Transcription): void {
    if (this.#signal.aborted || text.trim() === "") return;
    this.#interrupt();
    this.#queue.push({ inputTranscription: { text, finished }, ...(!finished && { partial: true }) });
    if (!finished) return;
    const words = userContent(text);
    this.#contents.push({ ...words, parts: [...this.#images.splice(0), ...(words.parts ?? [])] });
    this.#begin();
  }

  /** Stops the answer. The conversation keeps what was spoken. */
  #interrupt(): void {
    const answer = this.#answer;
    const wasPlaying = this.#played.interrupt() !== undefined;
    if (answer === undefined) {
      // The client still plays an answer that is complete.
      if (wasPlaying) this.#queue.push({ interrupted: true });
      return;
    }
    this.#answer = undefined;
    answer.stop.abort(new PlatformError("LIVE_NOT_SUPPORTED", "The user has interrupted the answer."));
    if (answer.spoken !== "") {
      this.#settled = answer.sends;
      this.#contents.push(modelContent(answer.spoken));
      this.#queue.push(this.#whole(answer.spoken));
    }
    this.#queue.push({ interrupted: true });
  }

  #begin(): void {
    if (this.#signal.aborted) return;
    this.#interrupt();
    this.#answers += 1;
    const answer = { id: `answer-${this.#answers}`, sends: this.#sends, stop: new AbortController(), spoken: "" };
    this.#answer = answer;
    const signal = AbortSignal.any([this.#signal, answer.stop.signal]);
    void this.#guard(() => this.#generate(answer, signal), signal);
  }

  async #generate(answer: Answer, signal: AbortSignal): Promise<void> {
    const { model, speaks } = this.#options;
    const sentences = new Sentences();
    let last: LlmResponse | undefined;
    let text = "";
    for await (const response of model.generateContentAsync(this.#request(), { stream: true, signal })) {
      signal.throwIfAborted();
      if (response.partial !== true) {
        last = response;
        continue;
      }
      const said = textOfAnswer(response.content);
      text += said;
      if (!speaks && said !== "") this.#write(answer, said);
      if (speaks) for (const sentence of sentences.push(said)) await this.#speak(answer, sentence, signal);
    }
    // All of it, if the model has no partial responses.
    const rest = textOfAnswer(last?.content).slice(text.length);
    if (speaks)
      for (const sentence of [...sentences.push(rest), ...sentences.finish()])
        await this.#speak(answer, sentence, signal);
    signal.throwIfAborted();
    this.#complete(answer, last);
  }

  /** The complete answer becomes a part of the conversation; a call of tools is not the end of the turn. */
  #complete(answer: Answer, last: LlmResponse = {}): void {
    if (this.#answer === answer) this.#answer = undefined;
    const { content: given, partial: _, ...rest } = last;
    const content = given && withCallIds(given, answer.id);
    const { speaks } = this.#options;
    this.#settled = answer.sends;
    if (content !== undefined) this.#contents.push({ ...content, role: "model" });
    if (speaks && answer.spoken !== "") this.#queue.push(this.#whole(answer.spoken));
    const parts = content?.parts ?? [];
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    const shown = speaks ? calls : parts;
    const end = calls.length === 0 ? { turnComplete: true } : {};
    if (shown.length > 0) this.#queue.push({ ...rest, content: { role: "model", parts: shown }, ...end });
    else this.#queue.push({ ...rest, ...end });
  }

  #write(answer: Answer, text: string): void {
    answer.spoken += text;
    this.#queue.push({ content: modelContent(text), partial: true });
  }

  async #speak(answer: Answer, sentence: string, signal: AbortSignal): Promise<void> {
    const { speech } = this.#options;
    let isFirst = true;
    for await (const inlineData of speech.synthesize(sentence.trim(), { signal })) {
      signal.throwIfAborted();
      if (isFirst) {
        answer.spoken += sentence;
        this.#queue.push({ outputTranscription: { text: sentence, finished: false }, partial: true });
      }
      isFirst = false;
      this.#played.add(answer.id, inlineData);
      this.#queue.push({ content: { role: "model", parts: [{ inlineData }] }, partial: true });
    }
  }

  #whole(spoken: string): LlmResponse {
    return this.#options.speaks
      ? { outputTranscription: { text: spoken, finished: true } }
      : { content: modelContent(spoken) };
  }

  #request(): LlmRequest {
    const { request, model } = this.#options;
    const { responseModalities: _, ...config } = request.config;
    const own = new LlmRequest({ model: model.model, contents: withPairedCalls(this.#contents), config });
    own.appendInstructions(...request.systemInstructions);
    own.appendTools(...request.tools.values());
    own.contextCache = request.contextCache;
    return own;
  }

  /** Ends the connection with the failure of a part, unless that part was stopped. */
  async #guard(run: () => Promise<void>, signal = this.#signal): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (signal.aborted) return;
      this.#queue.end(failureOf(error));
      this.#finish();
    }
  }

  #finish(): void {
    this.#endSound();
    this.#answer = undefined;
    this.#queue.end();
    if (!this.#closing.signal.aborted) this.#closing.abort();
  }
}

function textOfAnswer(content: Content | undefined): string {
  return (content?.parts ?? []).map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join("");
}

function failureOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return toPlatformError(error);
  return new ModelError("SERVER_ERROR", "The model or its speech service failed.", { cause: error });
}
