import type { Readable } from "node:stream";
import type { Sleep } from "#kit/platform/sleep.ts";
import { noAnswer } from "./bucket-errors.ts";

export interface RepeatOptions {
  /** Waits before a request is repeated. */
  readonly sleep: Sleep;
  readonly isTransient: (error: unknown) => boolean;
  readonly signal?: AbortSignal | undefined;
}

const ATTEMPTS = 5;
const RETRY_DELAY_MS = 200;

/** Sends a request that may be sent twice, again after a temporary fault. */
export async function repeatTransient<T>(send: () => Promise<T>, options: RepeatOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === ATTEMPTS || !options.isTransient(error)) throw error;
      // Jitter, so that requests that failed at the same time are not repeated at the same time.
      await options.sleep(RETRY_DELAY_MS * 2 ** attempt * (0.5 + Math.random() / 2), options.signal);
    }
  }
}

/** Rejects after the time, whether or not the task ends when its signal aborts. */
export async function withDeadline<T>(deadlineMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    const error = noAnswer();
    reject(error);
    deadline.abort(error);
  }, deadlineMs).unref();
  try {
    return await Promise.race([task(deadline.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** All bytes of a body. It may take any time, but fails if none arrive for the deadline. */
export async function receiveBytes(body: Readable, deadlineMs: number): Promise<Buffer> {
  const silence = setTimeout(() => body.destroy(noAnswer()), deadlineMs).unref();
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of body) {
      silence.refresh();
      // The stream contains bytes.
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(silence);
  }
}

/** The error of a body that ended before its last byte; the request is repeated. */
export function brokenOff(): Error {
  return Object.assign(new Error("The answer is shorter than its header states."), { code: "ECONNRESET" });
}
