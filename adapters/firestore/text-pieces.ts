/** UTF-16 units, each of at most three bytes. */
const PIECE_LENGTH = 300_000;

/** A text in pieces that each fit into a document. */
export function textPieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE_LENGTH, text.length);
    // A character of two units is not divided.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
