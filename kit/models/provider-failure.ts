import { systemClock } from "../platform/clock.ts";
import { isJsonObject } from "../platform/json.ts";
import { retryHint } from "./retry-hints.ts";

/** The properties of an error that a provider's SDK threw. */
export interface Failure {
  /** HTTP status, or the status that corresponds to a stream's error message. */
  readonly status: number | undefined;
  /** The provider's text, cut to a readable length. */
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  readonly timeout: boolean;
  readonly network: boolean;
  readonly networkCode: string | undefined;
  /** The network fault concerns an established connection. */
  readonly broken: boolean;
  /** The answer could not be parsed, or is incomplete. */
  readonly malformed: boolean;
}

const LONGEST_MESSAGE = 500;

/** Types of errors inside a stream whose HTTP status was 200, with the status that corresponds to each. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  invalid_request_error: 400,
  request_too_large: 413,
  not_found_error: 404,
  model_not_found: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  timeout_error: 504,
  overloaded_error: 529,
  api_error: 500,
  server_error: 500,
  internal_server_error: 500,
  service_unavailable: 503,
  service_unavailable_error: 503,
  engine_overloaded: 503,
  too_many_requests: 429,
  // The names of Google's status codes.
  resource_exhausted: 429,
  unavailable: 503,
  internal: 500,
  deadline_exceeded: 504,
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
};

/** Errors inside a stream that have neither a status nor a known type. */
const STATUS_OF_TEXT: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|request limit|limit reached|too many requests|quota/i, 429],
  [/had an error|internal (server )?error/i, 500],
  [/overload|unavailable|capacity|temporar|try again|busy|timed? ?out/i, 503],
];

/** Reads errors of all SDKs by their shape, so that no SDK has to be loaded. */
export function describeFailure(error: unknown): Failure {
  const chain = causes(error);
  const names = chain.map((link) => text(field(link, "name")) + text(field(field(link, "constructor"), "name")));
  const codes = chain.map((link) => text(field(link, "code")));
  const body = bodyOf(error);
  const message = text(field(body, "message")) || text(body) || text(field(error, "message"));
  const status = statusOf(error, body, message);
  const networkCode = codes.find((code) => /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code));
  return {
    status,
    message: shorten(body === undefined && status === undefined ? "" : message),
    retryAfterMs: retryHint({ headers: headersOf(error), body, message, now: systemClock.now() }),
    timeout: names.some((name) => /timeout/i.test(name)) || /TIMEDOUT|TIMEOUT/.test(networkCode ?? ""),
    network:
      networkCode !== undefined ||
      names.some((name) => name.includes("APIConnectionError")) ||
      chain.some(isBrokenFetch),
    networkCode,
    broken: BROKEN_CONNECTION.has(networkCode ?? "") || chain.some(isTerminated),
    malformed: chain.some(isMalformed),
  };
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && chain.length < 5; link = field(link, "cause"))
    chain.push(link);
  return chain;
}

/**
 * The provider's error object: OpenAI's SDK unwraps it, Anthropic's does not, Google's keeps it as JSON in the message.
 */
function bodyOf(error: unknown): unknown {
  const own = firstOf(field(error, "error"));
  if (own !== undefined) return field(own, "error") ?? own;
  const message = text(field(error, "message"));
  const start = message.search(/[[{]/);
  if (start === -1) return undefined;
  try {
    return field(firstOf(JSON.parse(message.slice(start))), "error");
  } catch {
    // The message only contains a brace.
    return undefined;
  }
}

/** Gemini's compatible endpoint puts failures in a list. */
function firstOf(body: unknown): unknown {
  return Array.isArray(body) ? body[0] : body;
}

function statusOf(error: unknown, body: unknown, message: string): number | undefined {
  for (const value of [field(error, "status"), field(body, "code"), field(body, "status")]) {
    const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status === "number" && status >= 400 && status < 600) return status;
  }
  for (const key of ["type", "code", "status"]) {
    const type = text(field(body, key)).toLowerCase();
    if (Object.hasOwn(STATUS_OF_TYPE, type)) return STATUS_OF_TYPE[type];
  }
  return body === undefined ? undefined : STATUS_OF_TEXT.find(([pattern]) => pattern.test(message))?.[1];
}

function headersOf(error: unknown): Headers | undefined {
  const headers = field(error, "headers");
  return headers instanceof Headers ? headers : undefined;
}

const BROKEN_CONNECTION: ReadonlySet<string> = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET"]);

function isTerminated(link: unknown): boolean {
  return link instanceof TypeError && link.message === "terminated";
}

function isBrokenFetch(link: unknown): boolean {
  return link instanceof TypeError && /fetch failed|terminated|network/i.test(link.message);
}

function isMalformed(link: unknown): boolean {
  if (link instanceof SyntaxError) return true;
  return link instanceof Error && /incomplete json|parsing stream chunk|response body is empty/i.test(link.message);
}

function shorten(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}

function field(value: unknown, key: string): unknown {
  if (value instanceof Error) return Reflect.get(value, key);
  if (typeof value === "function") return key === "name" ? value.name : undefined;
  return isJsonObject(value) ? value[key] : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
