import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";

const MAX_JSON_LENGTH = 200;

/**
 * Prints a run's events: text as it arrives, each call and result on a line, and no complete event whose partial events
 * were printed.
 */
export class Transcript {
  readonly #write: (text: string) => void;
  /** The author of the unfinished line. */
  #speaker: string | undefined;
  #hasChunks = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(event: Event): void {
    const { author, content, partial, errorCode, errorMessage, longRunningToolIds = [] } = event;
    for (const part of content?.parts ?? []) {
      this.#addPart(author, part, partial === true);
      const { id, name } = part.functionCall ?? {};
      if (id !== undefined && longRunningToolIds.includes(id) && !isReservedCall(name))
        this.#line("    (long-running: its result comes later)");
    }
    if (partial !== true) this.#hasChunks = false;
    if (errorCode !== undefined) this.#line(`! ${errorCode}${errorMessage === undefined ? "" : `: ${errorMessage}`}`);
    for (const [filename, version] of Object.entries(event.actions.artifactDelta)) {
      this.#line(`  saved ${filename} (version ${version})`);
    }
  }

  end(): void {
    this.#closeLine();
  }

  #addPart(author: string, { text, thought, functionCall, functionResponse }: Part, isChunk: boolean): void {
    // Confirmation requests of the framework are asked, not printed.
    if (functionCall !== undefined && !isReservedCall(functionCall.name))
      this.#line(`  ${functionCall.name}(${brief(functionCall.args ?? {})})`);
    if (functionResponse !== undefined)
      this.#line(`  ${isChunk ? "…" : "="} ${brief(functionResponse.response ?? {})}`);
    if (text === undefined || text === "" || thought === true) return;
    if (!isChunk && this.#hasChunks) return;
    this.#hasChunks = isChunk;
    if (this.#speaker !== author) {
      this.#closeLine();
      this.#write(`${author}: `);
      this.#speaker = author;
    }
    this.#write(text);
  }

  #line(text: string): void {
    this.#closeLine();
    this.#write(`${text}\n`);
  }

  #closeLine(): void {
    if (this.#speaker !== undefined) this.#write("\n");
    this.#speaker = undefined;
  }
}

function brief(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= MAX_JSON_LENGTH ? json : `${json.slice(0, MAX_JSON_LENGTH)}…`;
}
