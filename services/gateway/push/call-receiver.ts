import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { askedDelay } from "./push-schedule.ts";
import type { ReceiverAnswer } from "./receiver-gate.ts";

/** Of the whole call. */
const TIMEOUT_MS = 15_000;
/** The most that is read of an answer, so that its connection can be used again. */
export const MAX_ANSWER_BYTES = 16 * 1024;

export interface ReceiverCall {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The outcome of a call of a receiver. */
export interface ReceiverOutcome {
  readonly answer: ReceiverAnswer;
  /** Why it did not take the call; absent if it did. */
  readonly problem?: string;
  /** Absent if it did not answer. */
  readonly status?: number;
  /** Its body, of at most `MAX_ANSWER_BYTES`; absent if it has none or is longer. */
  readonly text?: string;
  /** When it wants the next call; absent if it names no time. */
  readonly delayMs?: number;
}

/**
 * Posts to an address that a client has named, through the guard of addresses, and follows no redirect. Throws only the
 * signal's reason.
 */
export async function callReceiver(
  outbound: Pick<OutboundAccess, "fetch">,
  { url, headers, body, signal }: ReceiverCall,
): Promise<ReceiverOutcome> {
  try {
    const request = { method: "POST", headers, body, redirect: "error", timeoutMs: TIMEOUT_MS, signal } as const;
    const response = await outbound.fetch(url, request);
    // The status counts, whatever follows it.
    const text = await response.text().catch(() => undefined);
    const { status } = response;
    if (response.ok) return { answer: "answered", status, text };
    const delayMs = askedDelay(response.headers.get("retry-after"));
    return { answer: "answered", problem: `it answered with the status ${status}`, status, text, delayMs };
  } catch (error) {
    signal.throwIfAborted();
    const { reason } = toPlatformError(error);
    return { answer: SILENT.has(reason) ? "silent" : "answered", problem: reason };
  }
}

const SILENT: ReadonlySet<ErrorReason> = new Set(["OUTBOUND_TIMED_OUT", "OUTBOUND_FAILED"]);
