import { PlatformError } from "./platform-error.ts";

/** A run was to be replayed, and its settings are wrong, or its recordings are missing or cannot be read. */
export class ReplayConfigError extends PlatformError {
  constructor(message: string, cause?: unknown) {
    super("REPLAY_CONFIG", message, cause === undefined ? {} : { cause });
  }
}

/** A replayed run did something else than what was recorded. */
export class ReplayVerificationError extends PlatformError {
  constructor(message: string) {
    super("REPLAY_VERIFICATION", message);
  }
}
