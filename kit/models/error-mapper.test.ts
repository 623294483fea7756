import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { PlatformError } from "../errors/platform-error.ts";
import {
  ErrorCategory,
  getRetryDelay,
  getRetryStrategy,
  isRetryable,
  ModelError,
  mapModelError,
  RetryStrategy,
} from "./error-mapper.ts";

const NAMES = { provider: "Acme", keySource: "ACME_KEY" };

function map(error: unknown): ModelError {
  const mapped = mapModelError(error, NAMES);
  if (mapped instanceof ModelError) return mapped;
  throw new Error("expected a ModelError", { cause: mapped });
}

function httpError(status: number | undefined, message: string, rest: object = {}): Error {
  return Object.assign(new Error(message), { status, ...rest });
}

describe("mapModelError", () => {
  it.each([
    [400, ErrorCategory.CLIENT_ERROR],
    [413, ErrorCategory.CLIENT_ERROR],
    [401, ErrorCategory.AUTH_ERROR],
    [403, ErrorCategory.AUTH_ERROR],
    [404, ErrorCategory.MODEL_ERROR],
    [408, ErrorCategory.TIMEOUT_ERROR],
    [504, ErrorCategory.TIMEOUT_ERROR],
    [429, ErrorCategory.RATE_LIMITED],
    [500, ErrorCategory.SERVER_ERROR],
    [529, ErrorCategory.SERVER_ERROR],
  ])("maps status %i to category %s, independent of the message", (status, category) => {
    verifies(
      "errors:model:category",
      "enumerations:error-category:auth-error",
      "enumerations:error-category:client-error",
    );
    expect(map(httpError(status, "invalid 400 401 429 timeout")).category).toBe(category);
  });

  it.each([
    [403, "You do not have permission to access the File abc123 or it may not exist."],
    [404, "No such File object: file-abc123"],
  ])("takes %i for a file that the provider has no more as a refused content", (status, message) => {
    verifies("providers:refused:next-message");
    expect(map(httpError(status, message, { error: { message } }))).toMatchObject({
      category: ErrorCategory.CLIENT_ERROR,
      details: { refused: "files" },
    });
  });

  // Streams whose HTTP status was 200 report an error in their body.
  it.each([
    [{ code: 429 }, ErrorCategory.RATE_LIMITED],
    [{ code: 503 }, ErrorCategory.SERVER_ERROR],
    [{ code: 401, type: "server_error" }, ErrorCategory.AUTH_ERROR],
    [{ status: 404 }, ErrorCategory.MODEL_ERROR],
    [{ code: "rate_limit_exceeded" }, ErrorCategory.RATE_LIMITED],
    [{ type: "overloaded_error" }, ErrorCategory.SERVER_ERROR],
    [{ code: 400 }, ErrorCategory.CLIENT_ERROR],
    [{ code: 599 }, ErrorCategory.SERVER_ERROR],
    [{ code: 600, type: "invalid_request_error" }, ErrorCategory.CLIENT_ERROR],
    [{ code: 399, type: "authentication_error" }, ErrorCategory.AUTH_ERROR],
  ])("maps an error body of a stream with %j to category %s", (body, category) => {
    expect(map(httpError(undefined, "failed", { error: body })).category).toBe(category);
    expect(map(new Error(`got: ${JSON.stringify({ error: body })}`)).category).toBe(category);
  });

  it.each([
    [
      "a refused connection",
      new TypeError("fetch failed", { cause: httpError(undefined, "x", { code: "ECONNREFUSED" }) }),
      "NETWORK_ERROR",
    ],
    [
      "a name that does not resolve",
      httpError(undefined, "Connection error.", { cause: httpError(undefined, "x", { code: "ENOTFOUND" }) }),
      "NETWORK_ERROR",
    ],
    ["a connection that breaks", new TypeError("terminated"), "CONNECTION_LOST"],
    [
      "a kept connection that the provider has closed",
      new TypeError("fetch failed", { cause: httpError(undefined, "other side closed", { code: "UND_ERR_SOCKET" }) }),
      "CONNECTION_LOST",
    ],
    [
      "a connection that is reset",
      new TypeError("fetch failed", { cause: httpError(undefined, "read ECONNRESET", { code: "ECONNRESET" }) }),
      "CONNECTION_LOST",
    ],
    [
      "a time-out of the SDK",
      Object.assign(new Error("Request timed out."), { name: "APIConnectionTimeoutError" }),
      "TIMEOUT_ERROR",
    ],
    [
      "a time-out of the socket",
      new TypeError("fetch failed", { cause: httpError(undefined, "x", { code: "UND_ERR_HEADERS_TIMEOUT" }) }),
      "TIMEOUT_ERROR",
    ],
    [
      "an overloaded provider in mid-stream",
      httpError(undefined, "x", {
        error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      }),
      "SERVER_ERROR",
    ],
    [
      "a rate limit in mid-stream",
      httpError(undefined, "x", { error: { code: "rate_limit_exceeded", message: "slow" } }),
      "RATE_LIMITED",
    ],
    ["an error that is a text", httpError(undefined, "x", { error: "Internal Server Error" }), "SERVER_ERROR"],
    ["an answer that is not JSON", new SyntaxError("Unexpected end of JSON input"), "SERVER_ERROR"],
    ["anything else", new Error("boom"), "UNKNOWN_ERROR"],
    ["something thrown that is not an error", "boom", "UNKNOWN_ERROR"],
  ])("knows %s", (_, error, category) => {
    expect(map(error).category).toBe(category);
  });

  it("exposes category, message, strategy and advice, with the provider's error as cause", () => {
    verifies(
      "errors:model:mapped:category",
      "errors:model:mapped:normalized-message",
      "errors:model:mapped:retry-strategy",
      "errors:model:mapped:retryable",
      "errors:model:mapped:retry-delay",
      "errors:model:retry-strategy",
    );
    const cause = httpError(429, '{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED"}}');
    expect(map(cause)).toMatchObject({
      category: "RATE_LIMITED",
      normalizedMessage: "Acme asks to slow down, or a quota is used up (429).",
      message: "Acme asks to slow down, or a quota is used up (429).",
      logDetail: "Quota exceeded.",
      details: { category: "RATE_LIMITED", providerStatus: "429" },
      retryStrategy: "EXPONENTIAL_BACKOFF",
      retryable: true,
      retryDelay: 1000,
      reason: "MODEL_RATE_LIMITED",
      cause,
    });
  });

  it("uses the delay of Retry-After", () => {
    expect(map(httpError(503, "x", { headers: new Headers({ "retry-after": "2.5" }) })).retryDelay).toBe(2500);
  });

  it("has no delay for failures that are not retryable", () => {
    const { retryable, retryDelay } = map(httpError(400, "x", { headers: new Headers({ "retry-after": "5" }) }));
    expect([retryable, retryDelay]).toEqual([false, -1]);
  });

  it("cuts the provider's text to a readable length", () => {
    expect(map(httpError(400, "x", { error: { message: "y".repeat(10_000) } })).logDetail).toBe(`${"y".repeat(500)}…`);
  });

  it("leaves errors of the kit as they are", () => {
    const error = new PlatformError("FIELD_MISSING", "x");
    expect(mapModelError(error, NAMES)).toBe(error);
  });
});

describe("retry advice", () => {
  it("repeats temporary failures and no others", () => {
    verifies("enumerations:error-category:further", "errors:model:is-retryable");
    expect(Object.values(ErrorCategory).filter((category) => !isRetryable(category))).toEqual([
      "AUTH_ERROR",
      "CLIENT_ERROR",
      "MODEL_ERROR",
      "UNKNOWN_ERROR",
    ]);
    expect(Object.values(ErrorCategory).filter(isRetryable)).toEqual([
      "RATE_LIMITED",
      "SERVER_ERROR",
      "NETWORK_ERROR",
      "CONNECTION_LOST",
      "TIMEOUT_ERROR",
    ]);
  });

  it("uses every strategy for some category", () => {
    verifies("errors:model:retry-strategy", "enumerations:retry-strategy:immediate-retry");
    const used = new Set(Object.values(ErrorCategory).map(getRetryStrategy));
    expect(used).toEqual(new Set(Object.values(RetryStrategy)));
    expect(getRetryStrategy(ErrorCategory.CONNECTION_LOST)).toBe("IMMEDIATE_RETRY");
  });

  it("increases the delay of EXPONENTIAL_BACKOFF up to half a minute, and keeps the others constant", () => {
    verifies(
      "enumerations:retry-strategy:no-retry",
      "errors:model:retry-delay",
      "enumerations:retry-strategy:exponential-backoff",
      "enumerations:retry-strategy:fixed-delay",
      "enumerations:retry-strategy:immediate-retry",
    );
    const delays = Object.values(RetryStrategy).map((strategy) => [
      strategy,
      ...[0, 1, 2, 10].map((attempt) => getRetryDelay(strategy, attempt)),
    ]);
    expect(delays).toEqual([
      ["EXPONENTIAL_BACKOFF", 1000, 2000, 4000, 30_000],
      ["FIXED_DELAY", 1000, 1000, 1000, 1000],
      ["IMMEDIATE_RETRY", 0, 0, 0, 0],
      ["NO_RETRY", -1, -1, -1, -1],
    ]);
  });
});
