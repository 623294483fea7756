import { PlatformError } from "./platform-error.ts";

/** The settings of a replayed run are wrong, or its recordings are missing or cannot be read. */
export class ReplayConfigError extends PlatformError {
  constructor(message: string, cause?: unknown) {
    super("REPLAY_CONFIG", message, { cause });
  }
}

/** A replayed run differs from its recording. */
export class ReplayVerificationError extends PlatformError {
  constructor(message: string) {
    super("REPLAY_VERIFICATION", message);
  }
}
