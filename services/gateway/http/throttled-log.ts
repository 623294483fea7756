import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { Clock } from "#kit/platform/clock.ts";

/** Errors that callers without valid credentials can cause with each request. */
const SELDOM: ReadonlySet<ErrorReason> = new Set(["IDENTITY_UNAVAILABLE"]);
const PAUSE_MS = 10_000;

/** Limits the log lines of failed requests, so that callers without credentials cannot fill the log. */
export class ThrottledLog {
  readonly #clock: Pick<Clock, "monotonic">;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * The fields to add to the log line of a failed request: how many lines were left out before. Undefined if there
   * should be no line.
   */
  fieldsOf(reason: ErrorReason): { readonly leftOut?: number } | undefined {
    if (!SELDOM.has(reason)) return {};
    const now = this.#clock.monotonic();
    if (now - this.#loggedAt < PAUSE_MS) {
      this.#leftOut += 1;
      return undefined;
    }
    this.#loggedAt = now;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut === 0 ? {} : { leftOut };
  }
}
