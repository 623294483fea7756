/** A line of a file; without its text if it is longer than allowed. */
export interface BoundedLine {
  /** From 1. */
  readonly number: number;
  readonly text: string | undefined;
}

const NEWLINE = 0x0a;

/** The lines of UTF-8 chunks. Of a line that is too long nothing is kept. */
export async function* boundedLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<BoundedLine> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const end = (): BoundedLine => {
    number += 1;
    const text = length > maxBytes ? undefined : Buffer.concat(parts).toString("utf8");
    [parts, length] = [[], 0];
    return { number, text };
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, from);
      const to = newline < 0 ? bytes.length : newline;
      length += to - from;
      if (length <= maxBytes) parts.push(bytes.subarray(from, to));
      else parts = [];
      if (newline >= 0) yield end();
      from = to + 1;
    }
  }
  if (length > 0) yield end();
}
