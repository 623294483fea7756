import { write, writeSync } from "node:fs";
import { codeOf } from "#kit/platform/file-errors.ts";

/** What may wait for a reader that has stopped; further lines are dropped until the reader continues. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;
const RETRY_MS = 100;
const FLUSH_RETRY_MS = 10;
const FLUSH_RETRIES = 100;

/**
 * Writes lines to a file descriptor in order, without blocking the event loop. If the reader of the log has ended, as in
 * `fairlead serve | head`, the lines are dropped and the process keeps running.
 */
export class LogOutput {
  readonly #descriptor: number;
  #waiting = "";
  #isWriting = false;
  #isLost = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(line: string): void {
    if (this.#isLost || this.#waiting.length + line.length > MAX_WAITING_CHARACTERS) return;
    this.#waiting += line;
    if (!this.#isWriting) this.#writeNext();
  }

  /**
   * Writes the waiting lines before it returns, or drops them if the reader takes none for a second. They may come before
   * lines whose write is in progress.
   */
  flushSync(): void {
    let bytes: Uint8Array = Buffer.from(this.#take());
    for (let retries = 0; bytes.length > 0 && retries < FLUSH_RETRIES; ) {
      try {
        bytes = bytes.subarray(writeSync(this.#descriptor, bytes));
      } catch (error) {
        if (!isMomentary(error)) {
          this.#lose();
          return;
        }
        retries += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FLUSH_RETRY_MS);
      }
    }
  }

  #take(): string {
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }

  #writeNext(): void {
    const text = this.#take();
    this.#isWriting = text !== "";
    if (this.#isWriting) this.#write(Buffer.from(text));
  }

  #write(bytes: Uint8Array): void {
    write(this.#descriptor, bytes, (error, written) => {
      if (error !== null && !isMomentary(error)) this.#lose();
      else if (error !== null) setTimeout(() => this.#write(bytes), RETRY_MS).unref();
      else if (written < bytes.length) this.#write(bytes.subarray(written));
      else this.#writeNext();
    });
  }

  #lose(): void {
    this.#isLost = true;
    this.#waiting = "";
  }
}

/** The reader is slower than the log. */
function isMomentary(error: unknown): boolean {
  const code = codeOf(error);
  return code === "EAGAIN" || code === "EBUSY";
}
