const MAX_BYTES = 4000;

/** The last whole lines of what a program writes: part of a line may be part of a secret, which nobody would recognise. */
export class LastOutput {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  add(chunk: Buffer): void {
    // A copy of the end: a chunk may be a view of a much larger buffer.
    this.#chunks.push(Buffer.from(chunk.subarray(-MAX_BYTES)));
    this.#bytes += Math.min(chunk.length, MAX_BYTES);
    this.#isCut ||= chunk.length > MAX_BYTES || this.#bytes > MAX_BYTES;
    if (this.#bytes <= 2 * MAX_BYTES) return;
    this.#chunks = [this.#end];
    this.#bytes = MAX_BYTES;
  }

  get text(): string {
    const end = this.#end;
    const from = this.#isCut ? end.indexOf("\n") + 1 || end.length : 0;
    return end.subarray(from).toString("utf8").trim();
  }

  get #end(): Buffer {
    return Buffer.concat(this.#chunks).subarray(-MAX_BYTES);
  }
}
