import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

const LAST_CHUNK = "0\r\n\r\n";

/** A socket that has nothing to send takes this much without being full. */
const MAX_ALONE_CHARACTERS = 4 * 1024;

/**
 * The body of a response whose head is written. Node frames a chunk with four buffers, which the socket gathers for
 * each call. Here a text and its frame are one string, which costs half as much. Node still frames where the body does
 * not go to a socket of its own (an injected or pipelined request), and writes no frames for HTTP/1.0.
 */
export class ChunkedBody {
  readonly #response: ServerResponse;
  readonly #isFramedHere: boolean;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isFramedHere = response.chunkedEncoding && response.socket instanceof Socket;
    if (this.#isFramedHere) response.chunkedEncoding = false;
  }

  /** Returns false if the socket is full; the text must not be empty, because an empty chunk ends the body. */
  write(text: string): boolean {
    if (!this.#isFramedHere) return this.#response.write(text);
    return this.#response.write(framed(text));
  }

  /**
   * Writes a text that is the only one in its turn of the event loop. It goes to the socket: `response.write` would hold
   * it back until the end of the turn, to send it together with others, which costs more. Returns false, and writes
   * nothing, if the text may fill the socket or does not go to a socket.
   */
  writeAlone(text: string): boolean {
    const { socket } = this.#response;
    if (!this.#isFramedHere || socket === null) return false;
    if (socket.writableLength > 0 || text.length > MAX_ALONE_CHARACTERS) return false;
    socket.write(framed(text));
    return true;
  }

  /** As `write`. */
  writeBytes(bytes: Uint8Array): boolean {
    if (!this.#isFramedHere) return this.#response.write(bytes);
    this.#response.write(`${bytes.length.toString(16)}\r\n`);
    this.#response.write(bytes);
    return this.#response.write("\r\n");
  }

  end(): void {
    this.#response.end(this.#isFramedHere ? LAST_CHUNK : undefined);
  }
}

function framed(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
