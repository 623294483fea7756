import type { Clock } from "#kit/platform/clock.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";

export interface OutageLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Said of the first failure, and of the end. */
  readonly messages: { readonly begins: string; readonly ends: string };
}

/** Something that works again for so long is mended: of what fails now and then there is one line, not one for each time. */
const MENDED_AFTER_MS = 1000;

/** Tells of what fails again and again when it begins and when it ends, with how often it failed in between. */
export class OutageLog {
  readonly #options: OutageLogOptions;
  #failures = 0;
  #beganAt = 0;
  #lastFailureAt = 0;

  constructor(options: OutageLogOptions) {
    this.#options = options;
  }

  failed(error: unknown, fields: LogFields): void {
    const { clock, logger, messages } = this.#options;
    const now = clock.monotonic();
    this.#failures += 1;
    this.#lastFailureAt = now;
    if (this.#failures > 1) return;
    this.#beganAt = now;
    logger.warn({ error, ...fields }, messages.begins);
  }

  /** Said of everything that works: one comparison while there is no outage. */
  worked(): void {
    if (this.#failures > 0) this.#endIfMended();
  }

  #endIfMended(): void {
    const { clock, logger, messages } = this.#options;
    const now = clock.monotonic();
    if (now - this.#lastFailureAt < MENDED_AFTER_MS) return;
    logger.info({ failures: this.#failures, durationMs: Math.round(now - this.#beganAt) }, messages.ends);
    this.#failures = 0;
  }
}
