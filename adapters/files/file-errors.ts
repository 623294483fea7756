import { PlatformError } from "#kit/errors/platform-error.ts";
import { isAbsent, isFull } from "#kit/platform/file-errors.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";

/** Descriptors are temporarily exhausted, or the call was interrupted. */
const MOMENTARY: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EAGAIN", "EINTR"]);
const RETRY_DELAYS_MS = [5, 20, 80];

/**
 * Runs one file operation and repeats temporary failures a few times. Callers handle missing and existing files
 * themselves; any other failure becomes `STORAGE_FULL` or `STORE_UNAVAILABLE`, whose text contains no path.
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

/** The error of a failed file operation for callers; any other error stays unchanged. */
function toFileError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || isAbsent(error) || code === "EEXIST") return error;
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

/** The code of a file system error, such as `EIO`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
