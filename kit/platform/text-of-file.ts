/**
 * The text of a file that a person has written, as editors and shells store it: UTF-8 with or without a byte order mark,
 * and UTF-16 with one, which Windows PowerShell writes. Throws a `TypeError` for bytes that are none of these.
 */
export function textOfFile(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    (first === 0xff && second === 0xfe && "utf-16le") || (first === 0xfe && second === 0xff && "utf-16be") || "utf-8";
  // The decoder leaves the mark out.
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}
