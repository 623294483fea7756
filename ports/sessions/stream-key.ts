import { PlatformError } from "#kit/errors/platform-error.ts";
import { randomText } from "#kit/platform/random-text.ts";

const KEY_BYTES = 16;
const STREAM_KEY = /^[A-Za-z0-9_-]{22,64}$/;

/** A new key of 128 random bits, under which the stream of one run is kept: who knows only the run's id cannot find it. */
export function newStreamKey(): string {
  return randomText(KEY_BYTES);
}

/** Throws `INVALID_FIELD` for a text that `newStreamKey` does not return. The error does not contain the text. */
export function assertStreamKey(streamKey: string): void {
  if (STREAM_KEY.test(streamKey)) return;
  throw new PlatformError(
    "INVALID_FIELD",
    "streamKey must have 22 to 64 letters, digits, hyphens and underscores: leave it out, or send 16 random bytes as base64url.",
    { details: { field: "streamKey" } },
  );
}
