import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";
import { noPaint, type Paint, visible } from "../output/terminal.ts";

const MAX_JSON_LENGTH = 200;

/**
 * Prints a run's events: text as it arrives, each call and result on a line, and no complete event whose partial events
 * were printed. While the text of one agent arrives, events of others that run at the same time wait for its end.
 */
export class Transcript {
  readonly #write: (text: string) => void;
  readonly #paint: Paint;
  /** The author of the unfinished line. */
  #speaker: string | undefined;
  /** The author whose chunks are printed, until its complete event. */
  #streaming: string | undefined;
  #waiting: Event[] = [];

  /** What is written has no hidden characters but the colours. */
  constructor(write: (text: string) => void, paint: Paint = noPaint) {
    this.#write = write;
    this.#paint = paint;
  }

  add(event: Event): void {
    if (this.#streaming !== undefined && this.#streaming !== event.author) {
      this.#waiting.push(event);
      return;
    }
    this.#print(event);
    if (this.#streaming === undefined) this.#printWaiting();
  }

  /** Whether a line has begun and not ended. */
  get isLineOpen(): boolean {
    return this.#speaker !== undefined;
  }

  end(): void {
    do {
      this.#streaming = undefined;
      this.#printWaiting();
    } while (this.#waiting.length > 0);
    this.#closeLine();
  }

  #printWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.add(event);
  }

  #print(event: Event): void {
    const { author, content, partial, errorCode, errorMessage, longRunningToolIds = [] } = event;
    for (const part of content?.parts ?? []) {
      this.#addPart(author, part, partial === true);
      const { id, name } = part.functionCall ?? {};
      if (id !== undefined && longRunningToolIds.includes(id) && !isReservedCall(name))
        this.#line("    (long-running: its result comes later)");
    }
    if (partial !== true) this.#streaming = undefined;
    if (errorCode !== undefined)
      this.#line(`! ${errorCode}${errorMessage === undefined ? "" : `: ${errorMessage}`}`, "red");
    for (const [filename, version] of Object.entries(event.actions.artifactDelta)) {
      this.#line(`  saved ${filename} (version ${version})`);
    }
  }

  #addPart(author: string, { text, thought, functionCall, functionResponse }: Part, isChunk: boolean): void {
    // Confirmation requests of the framework are asked, not printed.
    if (functionCall !== undefined && !isReservedCall(functionCall.name))
      this.#line(`  ${functionCall.name}(${brief(functionCall.args ?? {})})`);
    if (functionResponse !== undefined)
      this.#line(`  ${isChunk ? "…" : "="} ${brief(functionResponse.response ?? {})}`);
    if (text === undefined || text === "" || thought === true) return;
    if (!isChunk && this.#streaming !== undefined) return;
    this.#streaming = isChunk ? author : undefined;
    if (this.#speaker !== author) {
      this.#closeLine();
      this.#write(`${this.#paint("bold", visible(author))}: `);
      this.#speaker = author;
    }
    this.#write(visible(text));
  }

  #line(text: string, style: "dim" | "red" = "dim"): void {
    this.#closeLine();
    this.#write(`${this.#paint(style, visible(text))}\n`);
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
