/** Whether a tool returned a stream of values. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/**
 * Reads a tool's stream and calls `show` with each value; returns the stream's return value, or else its last value.
 */
export async function readStream(
  stream: AsyncIterable<unknown>,
  show: (value: unknown) => Promise<void>,
  signal: AbortSignal,
): Promise<unknown> {
  const values = stream[Symbol.asyncIterator]();
  let last: unknown;
  let isDone = false;
  try {
    while (!signal.aborted) {
      const { done, value } = await values.next();
      isDone = done === true;
      if (isDone) return value === undefined ? last : value;
      last = value;
      await show(value);
    }
    throw signal.reason;
  } finally {
    if (!isDone) await values.return?.();
  }
}
