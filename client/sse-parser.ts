/** One dispatched event of a stream of server-sent events. */
export interface SseMessage {
  /** Lines of `data`, joined by line feeds. */
  readonly data: string;
  /** `message` if the block has no `event`. */
  readonly event: string;
  /** The last event id, of this block or of one before; empty if there was none. */
  readonly id: string;
}

const LINE_END = /\r\n|\r|\n/g;

/**
 * Parses server-sent events by the rules of the HTML standard, from chunks that may begin and end anywhere. A block
 * without data sets the last event id and dispatches nothing. Only one incomplete block is in memory;
 * `onTooLarge` makes the error for one of more than `maxCharacters`.
 */
export class SseParser {
  /** The id of the last complete block that had one; sent as `Last-Event-ID` when the client reconnects. */
  lastEventId = "";
  /** The pause before reconnecting that the server asks for, in milliseconds. */
  retryMs: number | undefined;
  /** Complete blocks and comments so far. */
  blocks = 0;
  readonly #decoder = new TextDecoder();
  readonly #maxCharacters: number;
  readonly #onTooLarge: () => Error;
  /** Chunks of the incomplete line. They are joined once, at its end, so that small chunks of a long line stay cheap. */
  #line: string[] = [];
  #data: string[] = [];
  #event = "";
  #id = "";
  /** Characters of the incomplete line, and of the block's data. */
  #lineSize = 0;
  #dataSize = 0;
  /** The last chunk ended with a carriage return: a line feed at the start of the next one belongs to it. */
  #skipsLineFeed = false;

  constructor(maxCharacters: number, onTooLarge: () => Error) {
    this.#maxCharacters = maxCharacters;
    this.#onTooLarge = onTooLarge;
  }

  /** The events that the chunk completes. */
  push(chunk: Uint8Array): readonly SseMessage[] {
    const messages: SseMessage[] = [];
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return messages;
    if (this.#skipsLineFeed && text.startsWith("\n")) text = text.slice(1);
    this.#skipsLineFeed = text.endsWith("\r");
    let start = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      this.#add(text.slice(start, index));
      const line = this.#line.join("");
      this.#line = [];
      this.#lineSize = 0;
      if (line === "") this.#dispatch(messages);
      else this.#readField(line);
      start = index + end.length;
    }
    this.#add(text.slice(start));
    return messages;
  }

  #add(text: string): void {
    this.#lineSize += text.length;
    if (this.#lineSize + this.#dataSize > this.#maxCharacters) throw this.#onTooLarge();
    if (text !== "") this.#line.push(text);
  }

  #readField(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) this.blocks += 1;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") this.#event = value;
    if (name === "id" && !value.includes("\0")) this.#id = value;
    if (name === "retry" && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    if (name !== "data") return;
    this.#data.push(value);
    this.#dataSize += value.length + 1;
  }

  #dispatch(messages: SseMessage[]): void {
    this.blocks += 1;
    this.lastEventId = this.#id;
    const [data, event, id] = [this.#data.join("\n"), this.#event || "message", this.#id];
    if (this.#data.length > 0) messages.push({ data, event, id });
    this.#data = [];
    this.#dataSize = 0;
    this.#event = "";
  }
}
