import { PlatformError } from "#kit/errors/platform-error.ts";

/** The most data that a read may load. */
export interface SizeLimit {
  /** Bytes of stored JSON; any if absent. */
  readonly maxBytes?: number | undefined;
}

/** Throws `EVAL_DATA_TOO_LARGE`. `bytes` is the size, or a greater one if it is not known. */
export function assertSize(what: string, bytes: number, { maxBytes = Number.POSITIVE_INFINITY }: SizeLimit = {}): void {
  if (bytes <= maxBytes) return;
  throw new PlatformError("EVAL_DATA_TOO_LARGE", `${what} has more than ${maxBytes} bytes.`, {
    details: { bytes: String(bytes) },
  });
}

/** The size with which a read that was refused can be repeated; undefined for another error. */
export function neededBytes(error: unknown): number | undefined {
  const isTooLarge = error instanceof PlatformError && error.reason === "EVAL_DATA_TOO_LARGE";
  return isTooLarge ? Number(error.details["bytes"]) : undefined;
}
