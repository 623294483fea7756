import { isUnavailable, type PlatformError } from "#kit/errors/platform-error.ts";
import type { RunEnd } from "../streams/follow-run.ts";
import { runFailure } from "../streams/relay-run.ts";

/** Why a server closes the socket of a live run: RFC 6455, section 7.4.1. */
export const CLOSE = {
  normal: 1000,
  /** The session does not exist, as ADK's servers say it. */
  noSession: 1002,
  /** A frame that is not text. */
  notText: 1003,
  /** A message that is not a live request. */
  notARequest: 1007,
  /** Credentials, limits and silence. */
  policy: 1008,
  tooLong: 1009,
  failed: 1011,
  /** The server is stopped: connect again. */
  restart: 1012,
  later: 1013,
} as const;

/** The connection was lost, or its server is stopped: a client that can resume its run is waited for. */
export const LOST: ReadonlySet<number> = new Set([1006, CLOSE.restart]);

export interface Close {
  readonly code: number;
  readonly reason: string;
}

/** How the socket is closed after the run's end. The developer UI shows every reason, so a normal end has none. */
export function closeAfter(end: RunEnd): Close {
  const failure = runFailure(end);
  return failure === undefined ? { code: CLOSE.normal, reason: "" } : closeFor(failure);
}

/** How the socket is closed because of an error. */
export function closeFor(error: PlatformError): Close {
  return { code: codeOf(error), reason: closeReason(error.message) };
}

function codeOf(error: PlatformError): number {
  if (error.reason === "SESSION_NOT_FOUND") return CLOSE.noSession;
  if (error.reason === "RUN_CANCELLED") return CLOSE.normal;
  if (isUnavailable(error) || LATER.has(error.httpStatus)) return CLOSE.later;
  if (error.httpStatus === 401 || error.httpStatus === 403) return CLOSE.policy;
  return error.httpStatus < 500 && error.httpStatus !== 404 ? CLOSE.notARequest : CLOSE.failed;
}

/** Busy sessions and used-up quotas. */
const LATER: ReadonlySet<number> = new Set([409, 429, 503]);

/** A close frame has room for 123 bytes. */
const MAX_REASON_BYTES = 123;

/** The text, cut where it is too long for a close frame. */
export function closeReason(text: string): string {
  if (Buffer.byteLength(text) <= MAX_REASON_BYTES) return text;
  const cut = Buffer.from(text).subarray(0, MAX_REASON_BYTES - 3);
  return `${new TextDecoder().decode(cut, { stream: true })}…`;
}
