const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COLON = 58;
const EMPTY = new Uint8Array();
/** Smaller blocks cannot hold enough values to cost much memory when they are parsed. */
const COUNTED_BYTES = 256 * 1024;
const COMMA = 44;
const OPENING_BRACKET = 91;
const OPENING_BRACE = 123;

export interface BlockLimits {
  /** Bytes of one block: the lines up to an empty one. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Commas and opening brackets of one block: each may begin a value, which costs much more memory than its bytes. */
  readonly maxValues: number;
  /** Blocks of the whole stream. */
  readonly maxBlocks: number;
}

/** `events`: a block ends with an empty line, as an event of a stream does. `lines`: each line is a block. */
export type BlockKind = "events" | "lines";

/**
 * Cuts a stream of bytes into the blocks that a decoder can use: whole events, or whole lines. Each byte is looked at a
 * constant number of times, whatever the stream contains. All line ends become line feeds, and empty lines that end no
 * block are left out, because decoders read again what is before the end that they look for.
 */
export class TextBlocks {
  readonly #kind: BlockKind;
  readonly #limits: BlockLimits;
  /** The beginning of a block that is not complete. Its capacity doubles, so that small chunks are copied rarely. */
  #held = EMPTY;
  #heldBytes = 0;
  #lines = 0;
  #blocks = 0;
  /** Whether the held bytes end within a line. */
  #isInLine = false;
  #endedWithReturn = false;

  constructor(kind: BlockKind, limits: BlockLimits) {
    this.#kind = kind;
    this.#limits = limits;
  }

  /** The blocks that the chunk completes. Throws `RangeError` for a block beyond a limit. */
  add(chunk: Uint8Array): readonly Uint8Array[] {
    const bytes = this.#withLineFeeds(chunk);
    const blocks: Uint8Array[] = [];
    let start = 0;
    let at = 0;
    while (at < bytes.length) {
      if (bytes[at] === LINE_FEED && !this.#isInLine) {
        if (this.#lines > 0) {
          this.#push(blocks, bytes.subarray(start, at + 1));
          at += 1;
        }
        while (bytes[at] === LINE_FEED) at += 1;
        start = at;
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.#isInLine = end === -1;
      if (end === -1) break;
      at = end + 1;
      this.#lines += 1;
      if (this.#lines > this.#limits.maxLines) throw new RangeError(`has more than ${this.#limits.maxLines} lines`);
      if (this.#kind === "events") continue;
      this.#push(blocks, bytes.subarray(start, at));
      start = at;
    }
    this.#hold(bytes.subarray(start));
    return blocks;
  }

  /** The block that the end of the stream completes. */
  end(): Uint8Array | undefined {
    const rest = this.#take(EMPTY);
    return rest.length === 0 ? undefined : rest;
  }

  #push(blocks: Uint8Array[], last: Uint8Array): void {
    const lines = this.#lines;
    const block = this.#take(last);
    // A comment alone keeps the connection open. Not every decoder accepts it.
    if (this.#kind === "events" && lines === 1 && block[0] === COLON) return;
    this.#blocks += 1;
    if (this.#blocks > this.#limits.maxBlocks) throw new RangeError(`has more than ${this.#limits.maxBlocks} events`);
    blocks.push(block);
  }

  #take(last: Uint8Array): Uint8Array {
    let block = last;
    if (this.#heldBytes > 0) {
      this.#hold(last);
      block = this.#held.subarray(0, this.#heldBytes);
      this.#held = EMPTY;
      this.#heldBytes = 0;
    }
    this.#lines = 0;
    this.#isInLine = false;
    this.#check(block);
    return block;
  }

  #check(block: Uint8Array): void {
    const { maxBytes, maxValues } = this.#limits;
    if (block.length > maxBytes) throw new RangeError(`has more than ${maxBytes} bytes`);
    if (block.length < COUNTED_BYTES) return;
    let values = 0;
    for (const byte of block) if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) values += 1;
    if (values > maxValues) throw new RangeError(`has more than ${maxValues} values`);
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const length = this.#heldBytes + bytes.length;
    const { maxBytes } = this.#limits;
    if (length > maxBytes) throw new RangeError(`has more than ${maxBytes} bytes`);
    if (length > this.#held.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(2 * this.#held.length, maxBytes)));
      larger.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = larger;
    }
    this.#held.set(bytes, this.#heldBytes);
    this.#heldBytes = length;
  }

  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    const first = this.#endedWithReturn && chunk[0] === LINE_FEED ? 1 : 0;
    if (chunk.length > 0) this.#endedWithReturn = chunk.at(-1) === CARRIAGE_RETURN;
    let from = chunk.indexOf(CARRIAGE_RETURN, first);
    if (from === -1) return first === 0 ? chunk : chunk.subarray(first);
    const bytes = new Uint8Array(chunk.subarray(first));
    let length = from - first;
    for (from = length; from < bytes.length; from += 1) {
      // The index is below the length.
      const byte = bytes[from] as number;
      if (byte !== CARRIAGE_RETURN) bytes[length++] = byte;
      else {
        bytes[length++] = LINE_FEED;
        if (bytes[from + 1] === LINE_FEED) from += 1;
      }
    }
    return bytes.subarray(0, length);
  }
}
