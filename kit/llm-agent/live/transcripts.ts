import type { Transcription } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** The longest transcript of one utterance, in characters. What is spoken beyond it is streamed, and not stored. */
const MAX_CHARACTERS = 100_000;

/**
 * The transcript of one side's utterance in progress. Models send its chunks and then, with `finished`, the whole text;
 * if the utterance ends without that, the chunks are its text.
 */
export class OpenTranscript {
  readonly #member: "inputTranscription" | "outputTranscription";
  #text = "";

  constructor(member: "inputTranscription" | "outputTranscription") {
    this.#member = member;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** Takes a response's transcription; true if it is the whole utterance, and so complete. */
  take({ text = "", finished = false }: Transcription): boolean {
    if (finished) this.#text = "";
    else if (this.#text.length < MAX_CHARACTERS) this.#text += text;
    return finished;
  }

  /** The utterance is over. Returns a response with its text; undefined if it was complete, or nothing was said. */
  finish(): LlmResponse | undefined {
    const text = this.#text;
    this.#text = "";
    return text.trim() === "" ? undefined : { [this.#member]: { text, finished: true } };
  }
}
