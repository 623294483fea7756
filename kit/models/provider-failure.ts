import { isJsonObject } from "../platform/json.ts";

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
};

/** Reads errors of all SDKs by their shape, so that no SDK has to be loaded. */
export function describeFailure(error: unknown): Failure {
  const chain = causes(error);
  const names = chain.map((link) => text(field(link, "name")) + text(field(field(link, "constructor"), "name")));
  const codes = chain.map((link) => text(field(link, "code")));
  const body = bodyOf(error);
  const status = statusOf(error, body);
  const networkCode = codes.find((code) => /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code));
  return {
    status,
    message: shorten(text(field(body, "message")) || (status === undefined ? "" : text(field(error, "message")))),
    retryAfterMs: retryAfter(error, body),
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
  const own = field(error, "error");
  if (own !== undefined) return field(own, "error") ?? own;
  const message = text(field(error, "message"));
  const start = message.indexOf("{");
  if (start === -1) return undefined;
  try {
    return field(JSON.parse(message.slice(start)), "error");
  } catch {
    // The message only contains a brace.
    return undefined;
  }
}

function statusOf(error: unknown, body: unknown): number | undefined {
  for (const value of [field(error, "status"), field(body, "code"), field(body, "status")]) {
    if (typeof value === "number" && value >= 400 && value < 600) return value;
  }
  return STATUS_OF_TYPE[text(field(body, "type"))] ?? STATUS_OF_TYPE[text(field(body, "code"))];
}

function retryAfter(error: unknown, body: unknown): number | undefined {
  const headers = field(error, "headers");
  const header = headers instanceof Headers ? headers.get("retry-after") : null;
  if (header !== null && /^\d+(\.\d+)?$/.test(header)) return Math.ceil(Number(header) * 1000);
  // Google sends a RetryInfo detail such as {"retryDelay": "17s"}.
  const details = field(body, "details");
  const info = Array.isArray(details) ? details.find((detail) => field(detail, "retryDelay") !== undefined) : undefined;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(text(field(info, "retryDelay")))?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
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
