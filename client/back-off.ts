/** How often, and after which pauses, a failed request is repeated. */
export interface RetryPolicy {
  /** Attempts in a row without an answer, the first one included; 1 repeats nothing. */
  readonly maxAttempts: number;
  /** The first pause. Each further one is twice as long. */
  readonly baseDelayMs: number;
  /** The longest pause, a pause that the server asks for included. */
  readonly maxDelayMs: number;
}

/** About 40 seconds, in which a server can restart. */
export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 10, baseDelayMs: 250, maxDelayMs: 10_000 };

/**
 * The pause after so many failures in a row. A random half of it spreads clients that lost the same server.
 * `askedMs`: what the server asked for, which is the least.
 */
export function backOffMs(
  failures: number,
  { baseDelayMs, maxDelayMs }: RetryPolicy,
  { askedMs = 0, random }: { readonly askedMs?: number | undefined; readonly random: () => number },
): number {
  const whole = Math.min(maxDelayMs, baseDelayMs * 2 ** (failures - 1));
  return Math.max(Math.min(askedMs, maxDelayMs), whole / 2 + (whole / 2) * random());
}

/** Resolves after the pause; rejects with the signal's reason when it is aborted. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
