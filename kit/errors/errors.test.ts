import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import {
  ConfigurationException,
  GenAiFieldMissingException,
  LlmCallLimitExceededError,
  MessageConversionException,
} from "./kit-errors.ts";
import { isUnavailable, PlatformError, toPlatformError } from "./platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "./reasons.ts";
import {
  LeaseLostError,
  RunNotFoundError,
  SessionAlreadyExistsError,
  SessionBusyError,
  SessionClosedError,
  SessionError,
  SessionNotFoundError,
} from "./session-errors.ts";

/** `Object.keys` of a constant table: its keys are exactly the reasons. */
const REASONS = Object.keys(ERROR_REASONS) as ErrorReason[];

const KEY = { appName: "app", userId: "ada", id: "talk" };

describe("errors of the kit", () => {
  it.each([
    [ConfigurationException, "CONFIGURATION"],
    [GenAiFieldMissingException, "FIELD_MISSING"],
    [MessageConversionException, "MESSAGE_CONVERSION"],
  ])("have a message and an optional cause: %o", (Kind, reason) => {
    verifies("errors:configuration:cause", "errors:field-missing:cause", "typescript:exceptions");
    const cause = new Error("below");
    const [bare, caused] = [new Kind("wrong"), new Kind("wrong", cause)];
    expect([bare.message, bare.name, bare.reason, bare.code]).toEqual(["wrong", Kind.name, reason, "INVALID_ARGUMENT"]);
    expect([bare instanceof PlatformError, Object.hasOwn(bare, "cause"), caused.cause]).toEqual([true, false, cause]);
  });

  it("name the limit of model calls that was exceeded", () => {
    const { reason, code, details, retryable } = new LlmCallLimitExceededError(3);
    expect({ reason, code, details, retryable }).toEqual({
      reason: "LLM_CALL_LIMIT_EXCEEDED",
      code: "RESOURCE_EXHAUSTED",
      details: { limit: "3" },
      retryable: true,
    });
  });

  it.each([
    [new SessionNotFoundError(KEY), "SESSION_NOT_FOUND", 404],
    [new SessionAlreadyExistsError(KEY), "SESSION_ALREADY_EXISTS", 409],
    [new SessionClosedError(KEY), "SESSION_CLOSED", 409],
    [new SessionBusyError(KEY, "run"), "SESSION_BUSY", 409],
    [new LeaseLostError("run"), "LEASE_LOST", 409],
    [new RunNotFoundError("run"), "RUN_NOT_FOUND", 404],
  ])("of sessions can be caught as one kind: %s", (error, reason, httpStatus) => {
    verifies("errors:session:general");
    expect([error instanceof SessionError, error.reason, error.httpStatus]).toEqual([true, reason, httpStatus]);
  });

  it("are unavailable exactly if a store or service did not answer or cannot be reached", () => {
    const unavailable = REASONS.filter((reason) => new PlatformError(reason, "x").unavailable);
    const codes = new Set(unavailable.map((reason) => ERROR_REASONS[reason].code));
    expect([...codes].sort()).toEqual(["DEADLINE_EXCEEDED", "UNAVAILABLE"]);
    const withThoseCodes = REASONS.filter((reason) => codes.has(ERROR_REASONS[reason].code));
    expect(unavailable).toEqual(withThoseCodes);
    expect(isUnavailable(new PlatformError("STORE_UNAVAILABLE", "x"))).toBe(true);
    expect([new LeaseLostError("run"), new Error("x"), undefined].map(isUnavailable)).toEqual([false, false, false]);
  });

  it("replace the text of an unknown error by a generic one, and keep a known error as it is", () => {
    verifies("errors:http:no-internals");
    const [known, unknown] = [new PlatformError("INTERNAL", "x"), new TypeError("at /srv/secret.ts")];
    const { reason, message, cause } = toPlatformError(unknown);
    expect(toPlatformError(known)).toBe(known);
    expect([reason, message, cause]).toEqual(["INTERNAL", "The server failed to handle this request.", unknown]);
  });
});
