import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { Clock } from "#kit/platform/clock.ts";

/** Those that callers without valid credentials can cause as often as they send requests. */
const SELDOM: ReadonlySet<ErrorReason> = new Set(["IDENTITY_UNAVAILABLE"]);
const PAUSE_MS = 10_000;

/** Decides which failed requests the log has, so that nobody without credentials fills it. */
export class SeldomErrors {
  readonly #clock: Pick<Clock, "monotonic">;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The fields to add to the line of a failed request: how many were left out before. Undefined to leave it out too. */
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
