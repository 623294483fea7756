import { PlatformError } from "#kit/errors/platform-error.ts";

/** The time limit of one request, together with the caller's signal. */
export class Deadline {
  /** Aborts when the time is over, or when the caller aborts. */
  readonly signal: AbortSignal;
  readonly #caller: AbortSignal | undefined;
  readonly #timedOut = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    const { signal } = this.#timedOut;
    this.signal = caller === undefined ? signal : AbortSignal.any([signal, caller]);
    this.#timer = setTimeout(() => this.#timedOut.abort(timeoutError(timeoutMs)), timeoutMs);
    this.#timer.unref();
  }

  /** Ends the time limit. The caller's signal can still abort the request. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** The error to throw for a failure of the request. */
  translate(error: unknown): unknown {
    if (this.#caller?.aborted === true) return this.#caller.reason;
    if (this.#timedOut.signal.aborted) return this.#timedOut.signal.reason;
    // `fetch` reports a failed connection as the `cause` of its own error.
    for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
      if (cause instanceof PlatformError) return cause;
    return new PlatformError("OUTBOUND_FAILED", "The address cannot be reached, or its answer is broken.", {
      cause: error,
    });
  }
}

function timeoutError(timeoutMs: number): PlatformError {
  return new PlatformError("OUTBOUND_TIMED_OUT", `The address did not answer within ${timeoutMs} ms.`);
}
