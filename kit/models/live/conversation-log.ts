import type { Content, Part } from "#kit/events/content.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** Hours of talk. The oldest turns are dropped. */
const MAX_LOG_CHARACTERS = 1_000_000;

/**
 * The conversation of one connection as text: what a new session needs that cannot continue the old one. Sound is there
 * as its transcription.
 */
export class ConversationLog {
  #entries: { readonly position: number; readonly content: Content; readonly characters: number }[] = [];
  #characters = 0;
  #position = 0;

  /** Positions grow with each entry. */
  get position(): number {
    return this.#position;
  }

  since(position: number): readonly Content[] {
    return this.#entries.filter((entry) => entry.position > position).map(({ content }) => content);
  }

  /** `late`: it belongs before the answer that ends the log. */
  add(content: Content, { late = false }: { readonly late?: boolean } = {}): void {
    const parts = (content.parts ?? []).filter(isText);
    if (parts.length === 0) return;
    const characters = JSON.stringify(parts).length;
    this.#position += 1;
    let index = this.#entries.length;
    while (late && this.#entries[index - 1]?.content.role === "model") index -= 1;
    this.#entries.splice(index, 0, { position: this.#position, content: { ...content, parts }, characters });
    this.#characters += characters;
    let oldest = 0;
    while (this.#characters > MAX_LOG_CHARACTERS && oldest < this.#entries.length - 1) {
      this.#characters -= this.#entries[oldest]?.characters ?? 0;
      oldest += 1;
    }
    if (oldest > 0) this.#entries = this.#entries.slice(oldest);
  }

  /** Adds what a complete response says. */
  addResponse(response: LlmResponse, options: { readonly late?: boolean } = {}): void {
    const { content, partial, inputTranscription, outputTranscription } = response;
    if (inputTranscription?.finished === true) this.add(userContent(inputTranscription.text ?? ""), options);
    if (outputTranscription?.finished === true) this.add(modelContent(outputTranscription.text ?? ""));
    if (content !== undefined && partial !== true) this.add({ ...content, role: "model" });
  }
}

function isText({ text, thought, functionCall, functionResponse }: Part): boolean {
  if (functionCall !== undefined || functionResponse !== undefined) return true;
  return text !== undefined && text !== "" && thought !== true;
}
