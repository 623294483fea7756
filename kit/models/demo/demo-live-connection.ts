import { type Content, type Part, textOf, userContent } from "#kit/events/content.ts";
import type { BaseLlmConnection, ConnectOptions, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { planAnswer } from "./plan-answer.ts";
import type { DemoScript } from "./scripts.ts";
import { SpeechDetector } from "./speech-detector.ts";
import { toneOf } from "./tones.ts";

export interface DemoLiveOptions {
  readonly script: DemoScript;
  readonly pauseMs: number;
  readonly sleep: Sleep;
}

/** The demo model has no ears: it answers sound with the answer to these words. */
const HEARD = "What is the weather in Paris?";
/** The contents that the script looks at. Older ones are dropped, so that a long call stays small. */
const MAX_CONTENTS = 100;

/**
 * A live connection of the demo model: it answers each turn of the user word by word, with a tone for each word, and
 * stops when the user speaks again. It recognises that the user speaks, and not what.
 */
export class DemoLiveConnection implements BaseLlmConnection {
  readonly #request: LlmRequest;
  readonly #connect: ConnectOptions;
  readonly #options: DemoLiveOptions;
  readonly #speech = new SpeechDetector();
  readonly #ready: LlmResponse[] = [];
  #contents: Content[] = [];
  #wake: (() => void) | undefined;
  #answer: AbortController | undefined;
  #isClosed = false;

  constructor(request: LlmRequest, connect: ConnectOptions, options: DemoLiveOptions) {
    this.#request = request;
    this.#connect = connect;
    this.#options = options;
    connect.signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  async sendHistory(history: readonly Content[]): Promise<void> {
    for (const content of history) this.#keep(content);
    if (history.at(-1)?.role === "user") this.#beginAnswer();
  }

  async sendContent(
    content: Content,
    { turnComplete = true }: { readonly turnComplete?: boolean } = {},
  ): Promise<void> {
    this.#keep(content);
    if (!turnComplete) return;
    this.#interrupt();
    this.#beginAnswer();
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    const change = this.#speech.hear(input);
    if (change === "began") this.#interrupt();
    if (change !== "ended") return;
    if (this.#connect.config.inputAudioTranscription !== undefined) {
      for (const text of wordsOf(HEARD)) this.#say({ inputTranscription: { text, finished: false }, partial: true });
      this.#say({ inputTranscription: { text: HEARD, finished: true } });
    }
    this.#keep(userContent(HEARD));
    this.#beginAnswer();
  }

  async *receive(): AsyncGenerator<LlmResponse> {
    for (;;) {
      const response = this.#ready.shift();
      if (response !== undefined) yield response;
      else if (this.#isClosed) return;
      else await this.#change();
    }
  }

  async close(): Promise<void> {
    this.#end();
  }

  #keep(content: Content): void {
    this.#contents.push(content);
    if (this.#contents.length > MAX_CONTENTS) this.#contents = this.#contents.slice(-MAX_CONTENTS / 2);
  }

  #interrupt(): void {
    if (this.#answer === undefined) return;
    this.#answer.abort();
    this.#answer = undefined;
    this.#say({ interrupted: true });
    this.#say({ turnComplete: true });
  }

  #beginAnswer(): void {
    const answer = new AbortController();
    this.#answer = answer;
    const signal = AbortSignal.any([answer.signal, this.#connect.signal]);
    void this.#speak(signal).catch(() => {
      // Interrupted, or the connection has ended.
    });
  }

  async #speak(signal: AbortSignal): Promise<void> {
    const { config, systemInstruction, functionDeclarations } = this.#request;
    const request = { config, systemInstruction, functionDeclarations, contents: this.#contents };
    const parts = planAnswer(request, this.#options.script);
    const content: Content = { role: "model", parts };
    const text = textOf(content);
    if (text === "") this.#say({ content });
    else if (this.#connect.config.responseModalities?.includes("TEXT") === true) await this.#write(text, signal);
    else await this.#talk(text, signal);
    signal.throwIfAborted();
    this.#keep(content);
    this.#answer = undefined;
    // The turn continues when the calls are answered.
    if (text !== "") this.#say({ turnComplete: true, usageMetadata: usageOf(this.#contents) });
  }

  async #write(text: string, signal: AbortSignal): Promise<void> {
    for (const word of wordsOf(text)) {
      await this.#options.sleep(this.#options.pauseMs, signal);
      this.#say({ content: { role: "model", parts: [{ text: word }] }, partial: true });
    }
    this.#say({ content: { role: "model", parts: [{ text }] } });
  }

  async #talk(text: string, signal: AbortSignal): Promise<void> {
    const isTranscribed = this.#connect.config.outputAudioTranscription !== undefined;
    for (const word of wordsOf(text)) {
      await this.#options.sleep(this.#options.pauseMs, signal);
      if (isTranscribed) this.#say({ outputTranscription: { text: word, finished: false }, partial: true });
      this.#say({ content: { role: "model", parts: [{ inlineData: toneOf(word) }] } });
    }
    if (isTranscribed) this.#say({ outputTranscription: { text, finished: true } });
  }

  #say(response: LlmResponse): void {
    if (this.#isClosed) return;
    this.#ready.push(response);
    this.#wake?.();
  }

  #end(): void {
    this.#answer?.abort();
    this.#isClosed = true;
    this.#wake?.();
  }

  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}

/** Counts words as tokens. */
function usageOf(contents: readonly Content[]): NonNullable<LlmResponse["usageMetadata"]> {
  const count = (parts: readonly Part[] = []): number =>
    parts.reduce((sum, { text }) => sum + (text === undefined ? 1 : wordsOf(text).length), 0);
  const promptTokenCount = count(contents.at(-2)?.parts);
  const candidatesTokenCount = count(contents.at(-1)?.parts);
  return { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount };
}
