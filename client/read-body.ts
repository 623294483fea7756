import type { ErrorCode } from "#kit/errors/codes.ts";
import { isObject } from "./check-answer.ts";
import { answerTooLarge, FairleadError, unexpectedAnswer } from "./fairlead-error.ts";

/** The body as text. Reads at most so many bytes; a longer body is `ANSWER_TOO_LARGE`, and its rest is not read. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  const texts: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      // The answer is refused whether or not its connection can be closed.
      reader.cancel().catch(() => {});
      throw answerTooLarge(maxBytes);
    }
    texts.push(decoder.decode(value, { stream: true }));
  }
  return texts.join("") + decoder.decode();
}

export function parseJson(text: string, what: string, status?: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpectedAnswer(`${what} is not JSON`, { status, cause });
  }
}

/** Beyond this size the body of an error is not one of ours. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The error of an answer whose status is not a success. */
export async function errorOf(response: Response, maxBytes: number): Promise<FairleadError> {
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  const requestId = headers.get("x-request-id") ?? undefined;
  const facts = { status, retryAfterMs, requestId };
  const body = await readErrorBody(response, Math.min(maxBytes, MAX_ERROR_BYTES));
  if (body === undefined) {
    // This server names what it does not find; an edge without a server behind it answers 404 in a form of its own.
    const code = status === 404 ? "UNAVAILABLE" : codeOf(status);
    return new FairleadError(`The server, or a proxy before it, answered with the status ${status}.`, {
      ...facts,
      code,
      reason: "UNEXPECTED_ANSWER",
    });
  }
  const { message, code, reason, details } = body;
  return new FairleadError(message, { ...facts, code, reason, details, requestId: requestId ?? body.requestId });
}

interface ErrorBody {
  readonly message: string;
  readonly code: ErrorCode;
  readonly reason: string;
  readonly details: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
}

/** Undefined if the body is not an error of this API. A stream's error is one frame. */
async function readErrorBody(response: Response, maxBytes: number): Promise<ErrorBody | undefined> {
  try {
    const text = await readText(response, maxBytes);
    return toErrorBody(JSON.parse(text.replace(/^data:/, "")));
  } catch {
    return undefined;
  }
}

function toErrorBody(value: unknown): ErrorBody | undefined {
  if (!isObject(value)) return undefined;
  const { message, code, reason, details, requestId } = value;
  if (typeof message !== "string" || typeof reason !== "string" || !isCode(code)) return undefined;
  return {
    message,
    code,
    reason,
    // Values are texts by the API; only names are used by this client.
    details: isObject(details) ? (details as Readonly<Record<string, string>>) : {},
    requestId: typeof requestId === "string" ? requestId : undefined,
  };
}

/**
 * Codes by their HTTP status, for answers without a code. A test compares them with the server's table, which cannot be
 * imported here.
 */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export function codeOf(status: number): ErrorCode {
  return CODE_BY_STATUS[status] ?? (status >= 500 ? "INTERNAL" : "FAILED_PRECONDITION");
}

/** Codes that have no status of their own. */
const OTHER_CODES: readonly string[] = [
  "UNKNOWN",
  "ALREADY_EXISTS",
  "FAILED_PRECONDITION",
  "OUT_OF_RANGE",
  "DATA_LOSS",
] satisfies ErrorCode[];

export function isCode(code: unknown): code is ErrorCode {
  return (
    typeof code === "string" && (Object.values<string>(CODE_BY_STATUS).includes(code) || OTHER_CODES.includes(code))
  );
}
