/**
 * Whether a call of the file system failed because no file or folder has the name. No other failure proves that the
 * file is absent: if all descriptors are in use, `stat` fails for files that exist.
 */
export function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/** Whether a call of the file system failed because the disk, or the user's quota of it, is full. */
export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

/** The system's code of the failure, such as EMFILE; undefined for an error of another kind. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

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
