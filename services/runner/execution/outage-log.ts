import type { Clock } from "#kit/platform/clock.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";

export interface OutageLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Log messages for the first failure and for the end of the outage. */
  readonly messages: { readonly begins: string; readonly ends: string };
}

/** Time without a failure after which an outage is over; intermittent failures thus count as one outage. */
const OVER_AFTER_MS = 1000;

/**
 * Logs an outage twice instead of once per failure: at its first failure, and at its end with the number of failures.
 */
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

  /** Called after each success; costs one comparison while there is no outage. */
  worked(): void {
    if (this.#failures > 0) this.#endIfOver();
  }

  #endIfOver(): void {
    const { clock, logger, messages } = this.#options;
    const now = clock.monotonic();
    if (now - this.#lastFailureAt < OVER_AFTER_MS) return;
    logger.info({ failures: this.#failures, durationMs: Math.round(now - this.#beganAt) }, messages.ends);
    this.#failures = 0;
  }
}
