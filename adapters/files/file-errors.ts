import { PlatformError } from "#kit/errors/platform-error.ts";
import { isFull } from "#kit/platform/file-errors.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";

/** The path names nothing. ENOTDIR: a file lies where the path has a folder. */
const MISSING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
/** Descriptors are used up for the moment, or the call was interrupted. */
const MOMENTARY: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EAGAIN", "EINTR"]);
const RETRY_DELAYS_MS = [5, 20, 80];

export function isMissing(error: unknown): boolean {
  return MISSING.has(codeOf(error) ?? "");
}

/**
 * One step on files. Failures of the moment are repeated a few times. What is missing, or already there, is for the caller to judge; any
 * other failure becomes `STORAGE_FULL` or `STORE_UNAVAILABLE`, whose text names no path.
 */
export async function fileStep<Value>(step: () => Promise<Value>, wait: Sleep = sleep): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      const delayMs = RETRY_DELAYS_MS[attempt];
      if (delayMs === undefined || !MOMENTARY.has(codeOf(error) ?? "")) throw toFileError(error);
      await wait(delayMs);
    }
  }
}

/** The error that a failed file operation is to callers; one that is none of the file system's stays as it is. */
function toFileError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || MISSING.has(code) || code === "EEXIST") return error;
  if (isFull(error)) {
    return new PlatformError(
      "STORAGE_FULL",
      "The disk of the file store is full; nothing was changed. Try again later.",
      {
        cause: error,
      },
    );
  }
  return new PlatformError("STORE_UNAVAILABLE", `The file store failed (${code}). Try again.`, { cause: error });
}

/** Of an error of the file system, such as `EIO`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
