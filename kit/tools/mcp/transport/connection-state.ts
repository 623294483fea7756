import { isJsonObject } from "#kit/platform/json.ts";
import { LOST_ANSWER } from "./report-lost-answers.ts";

/**
 * What a failed request shows about its connection:
 * - `usable`: the server has answered the request, with an error of its own.
 * - `doubtful`: there was no answer, or not one of the protocol. The request may have had an effect.
 * - `lost`: the server does not know the connection's session, as after a restart. The request had no effect.
 */
export type ConnectionState = "usable" | "doubtful" | "lost";

/** Statuses that say nothing about the connection: the credential, the scope, the size or the rate is refused. */
const STATUSES_OF_REQUEST: ReadonlySet<number> = new Set([401, 402, 403, 413, 429]);
/** Codes of JSON-RPC with which servers refuse a request before they handle it; tools fail with others. */
const CODES_OF_SESSION: ReadonlySet<unknown> = new Set([-32_600, -32_000, -32_001, -32_002]);
const INVALID_PARAMS = -32_602;
/** What the SDK for Python says to a request before the handshake, and to some wrong ones. */
const INVALID_REQUEST = "Invalid request parameters";
/** Codes of the SDK for a request that was not answered. */
const CODES_WITHOUT_ANSWER: ReadonlySet<unknown> = new Set([
  ...["NOT_CONNECTED", "REQUEST_TIMEOUT", "CONNECTION_CLOSED", "SEND_FAILED", "CLIENT_HTTP_UNEXPECTED_CONTENT"],
  ...["CLIENT_HTTP_NOT_IMPLEMENTED", "CLIENT_HTTP_FAILED_TO_OPEN_STREAM", "ERA_NEGOTIATION_FAILED"],
]);
const SESSION_PROBLEM =
  /not found|no \w+ found|unrecogni[sz]ed|not exist|not active|no longer|no valid|not valid|unknown|invalid|expired|terminated|closed|missing|required|could not find|cannot find|no such|stale/i;
const NOT_INITIALIZED =
  /not (?:yet |been |yet been )?initiali[sz]ed|before initiali[sz]ation|uninitiali[sz]ed|expect(?:ed|s)? (?:an )?initiali[sz]e/i;
const MAX_TEXT_CHARACTERS = 2000;

export function connectionStateAfter(error: unknown): ConnectionState {
  if (!(error instanceof Error)) return "doubtful";
  const { code, reason } = error as Error & { readonly code?: unknown; readonly reason?: unknown };
  const text = error.message.slice(0, MAX_TEXT_CHARACTERS);
  const status = statusOf(error);
  if (status !== undefined) {
    if (status === 404 || status === 410) return "lost";
    if (status < 500 && saysLost(text)) return "lost";
    return STATUSES_OF_REQUEST.has(status) ? "usable" : "doubtful";
  }
  if (text === LOST_ANSWER) return "doubtful";
  if (typeof code === "number") {
    // The server in Python refuses calls before the handshake as wrong parameters.
    const isLost = CODES_OF_SESSION.has(code) ? saysLost(text) : code === INVALID_PARAMS && NOT_INITIALIZED.test(text);
    if (isLost) return "lost";
    return saysLost(text) || text.endsWith(INVALID_REQUEST) ? "doubtful" : "usable";
  }
  // A failed `fetch` is a TypeError; the guard of outbound addresses has errors of its own.
  const isFetch = error instanceof TypeError || (typeof reason === "string" && reason.startsWith("OUTBOUND_"));
  return isFetch || isLostSocket(error) || CODES_WITHOUT_ANSWER.has(code) ? "doubtful" : "usable";
}

/** Servers and their frameworks have different texts: the protocol only defines the status 404. */
function saysLost(text: string): boolean {
  return (/session/i.test(text) && SESSION_PROBLEM.test(text)) || NOT_INITIALIZED.test(text);
}

/** Whether the connection was lost, such as one that a server has closed while it was kept for later, or a process's end. */
export function isLostSocket(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 6; cause = cause.cause, depth += 1)
    if ("code" in cause && LOST_SOCKET.has(cause.code)) return true;
  return false;
}

const LOST_SOCKET: ReadonlySet<unknown> = new Set([
  ...["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"],
]);

/** The status of HTTP. The transport with server-sent events has it in its text, and in the code of a failed stream. */
export function statusOf(error: Error): number | undefined {
  const { code, data } = error as Error & { readonly code?: unknown; readonly data?: unknown };
  const status = isJsonObject(data) ? data["status"] : undefined;
  if (typeof status === "number") return status;
  if (error.name === "SseError" && typeof code === "number") return code;
  const [, digits] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
