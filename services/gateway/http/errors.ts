import type { FastifyReply, FastifyRequest } from "fastify";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import { type ErrorDetail, hasHiddenText, shownMessage } from "#kit/errors/shown-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { endUnreadBody } from "./answer-headers.ts";
import { ThrottledLog } from "./throttled-log.ts";

/** One problem of a request, in the form that Python clients of ADK's servers read. */
export interface FieldProblem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** The refused value, when it is short. */
  readonly input?: unknown;
}

/** A request whose fields are missing or wrong; answered as 422 with the whole list. */
export class InvalidRequestError extends PlatformError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super("INVALID_FIELD", problems.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "));
    this.problems = problems;
  }
}

/** The keys that clients of different servers read: Python `detail`, JavaScript `error`, Java `message`. */
export interface ErrorBody {
  readonly detail: string | readonly FieldProblem[];
  readonly error: string;
  readonly message: string;
  readonly status: number;
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, string>>;
  readonly requestId: string;
}

type RequestFacts = Pick<FastifyRequest, "id" | "originalUrl">;

export function toErrorBody(
  error: PlatformError,
  { id, originalUrl }: RequestFacts,
  errorDetail: ErrorDetail = "generic",
): ErrorBody {
  const message = hasHiddenText(error) ? shownMessage(error, { errorDetail, place: `request ${id}` }) : error.message;
  const { httpStatus, code, reason, details } = error;
  const detail = error instanceof InvalidRequestError ? error.problems : message;
  const path = originalUrl.split("?", 1)[0] ?? originalUrl;
  return { detail, error: message, message, status: httpStatus, path, code, reason, details, requestId: id };
}

/** The only place where an error becomes an HTTP answer. `extra` is added to the body. */
export function sendError(
  reply: FastifyReply,
  error: PlatformError,
  {
    extra,
    errorDetail,
  }: { readonly extra?: Readonly<Record<string, unknown>>; readonly errorDetail?: ErrorDetail } = {},
): FastifyReply {
  const { request } = reply;
  const json = JSON.stringify({ ...toErrorBody(error, request, errorDetail), ...extra });
  setErrorHead(reply, error);
  if (!wantsEventStream(request)) return reply.header("content-type", JSON_TYPE).send(json);
  // The developer UI reads the frames of a stream and not its status.
  return reply.header("content-type", EVENT_STREAM_TYPE).send(`data: ${json}\n\n`);
}

/** Prepares an error answer with one member more, which the caller writes between the two texts. */
export function errorAround(reply: FastifyReply, error: PlatformError, member: string): readonly [string, string] {
  setErrorHead(reply, error);
  return [`${JSON.stringify(toErrorBody(error, reply.request)).slice(0, -1)},${JSON.stringify(member)}:`, "}"];
}

function setErrorHead(reply: FastifyReply, error: PlatformError): void {
  const { request } = reply;
  reply.code(error.httpStatus).header("x-request-id", request.id);
  endUnreadBody(request, reply);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  if (error.reason === "UNAUTHENTICATED") reply.header("www-authenticate", challengeOf(error));
}

/** How to authenticate (RFC 6750); `details.error` is there for credentials that are wrong. */
function challengeOf({ details: { error } }: PlatformError): string {
  return error === undefined ? "Bearer" : `Bearer error="${error}"`;
}

/** The seconds after which to try again, if that may help; always for what is unavailable. */
export function retryAfterOf({ details, reason, httpStatus }: PlatformError): string | undefined {
  return details["retryAfterSeconds"] ?? RETRY_AFTER_SECONDS[reason] ?? (httpStatus === 503 ? "1" : undefined);
}

/** Retry time for errors without one: the blocking run may have ended by then. */
const RETRY_AFTER_SECONDS: Readonly<Partial<Record<ErrorReason, string>>> = {
  SESSION_BUSY: "1",
  QUEUE_FULL: "5",
  SERVER_SHUTTING_DOWN: "1",
  STORAGE_FULL: "30",
};

export const JSON_TYPE = "application/json; charset=utf-8";
export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8";

/** Sends the body in the form of another protocol, after the head. */
export type SendErrorBody = (reply: FastifyReply, body: ErrorBody) => FastifyReply;

/** `send` is for routes of protocols that have a form of their own. */
export function createErrorHandler(
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
  errorDetail: ErrorDetail = "generic",
  send?: SendErrorBody,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const seldom = new ThrottledLog(clock);
  return (thrown, request, reply) => {
    const error = fromThrown(thrown);
    if ((error.httpStatus >= 500 && error.reason !== "NOT_IMPLEMENTED") || hasHiddenText(error)) {
      const { reason, logDetail } = error;
      const cause = logDetail === undefined ? (error.cause ?? error) : error;
      const fields = seldom.fieldsOf(reason);
      if (fields !== undefined)
        logger.error({ requestId: request.id, reason, error: cause, ...fields }, "request failed");
    }
    if (send === undefined) return sendError(reply, error, { errorDetail });
    setErrorHead(reply, error);
    return send(reply, toErrorBody(error, request, errorDetail));
  };
}

/** Requests that the HTTP framework refuses before a route runs, by its error codes. */
const FRAMEWORK_REASONS: Readonly<Record<string, readonly [ErrorReason, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "UNSUPPORTED_MEDIA_TYPE",
    "Send the body with the header Content-Type: application/json.",
  ],
  FST_ERR_BAD_URL: ["INVALID_IDENTIFIER", "The path is not percent-encoded UTF-8."],
  FST_ERR_MAX_PARAM_LENGTH: [
    "INVALID_IDENTIFIER",
    "An identifier in the path is too long: at most 256 bytes of UTF-8.",
  ],
};

const REASON_BY_STATUS: Readonly<Record<number, ErrorReason>> = {
  404: "ROUTE_NOT_FOUND",
  413: "BODY_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "INVALID_FIELD",
};

export function fromThrown(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError || !(thrown instanceof Error)) return toPlatformError(thrown);
  // Errors of the framework and its plugins have a code and a status. Others stay INTERNAL; those of a library may have
  // a number as their code.
  const { code, statusCode, message } = thrown as Error & { readonly code?: unknown; readonly statusCode?: number };
  if (code === "EMFILE" || code === "ENFILE")
    return new PlatformError("SERVICE_UNAVAILABLE", "The server has too many open files. Try again soon.", {
      cause: thrown,
    });
  if (typeof code !== "string" || !code.startsWith("FST_")) return toPlatformError(thrown);
  if (code === "FST_ERR_VALIDATION" && thrown.cause instanceof PlatformError) return thrown.cause;
  const known = FRAMEWORK_REASONS[code];
  if (known) return new PlatformError(known[0], known[1], { cause: thrown });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new PlatformError(REASON_BY_STATUS[statusCode] ?? "MALFORMED_JSON", message, { cause: thrown });
  }
  return toPlatformError(thrown);
}

/** Clients that accept JSON as well, such as those of the Model Context Protocol, read errors as JSON. */
function wantsEventStream({ headers: { accept = "" } }: Pick<FastifyRequest, "headers">): boolean {
  return accept.includes("text/event-stream") && !accept.includes("application/json");
}
