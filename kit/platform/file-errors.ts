/**
 * Whether a call of the file system failed because there is nothing of that name. Every other failure says nothing about the file: with
 * all descriptors in use, `stat` fails for files that exist.
 */
export function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/** Whether a call of the file system failed because the disk, or a user's part of it, is full. */
export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

/** The system's name of the failure, such as EMFILE; undefined for an error of another kind. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
