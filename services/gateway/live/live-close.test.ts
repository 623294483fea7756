import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { closeAfter, closeFor, closeReason, LOST } from "./live-close.ts";

it.each<readonly [ErrorReason, number]>([
  ["SESSION_NOT_FOUND", 1002],
  ["RUN_CANCELLED", 1000],
  ["INVALID_FIELD", 1007],
  ["UNAUTHENTICATED", 1008],
  ["APP_STATE_READ_ONLY", 1008],
  ["QUOTA_EXCEEDED", 1013],
  ["TOO_MANY_STREAMS", 1013],
  ["SESSION_BUSY", 1013],
  ["STORE_UNAVAILABLE", 1013],
  ["APP_NOT_FOUND", 1011],
  ["INTERNAL", 1011],
])("closes a socket after %s with %i", (reason, code) => {
  verifies("platform:live:closes");
  expect(closeFor(new PlatformError(reason, "Why."))).toEqual({ code, reason: "Why." });
});

it("closes without a reason after a run that succeeded, and with its error after one that failed", () => {
  verifies("platform:live:closes");
  expect(closeAfter({ status: "succeeded" })).toEqual({ code: 1000, reason: "" });
  const error = { code: "INTERNAL", reason: "INTERNAL", message: "The model is broken." } as const;
  expect(closeAfter({ status: "failed", error })).toEqual({ code: 1011, reason: "The model is broken." });
});

it("waits for a client whose connection is lost or whose server is stopped, and for no other", () => {
  expect([1000, 1001, 1005, 1006, 1008, 1011, 1012, 1013].filter((code) => LOST.has(code))).toEqual([1006, 1012]);
});

it.each([
  ["a".repeat(123), "a".repeat(123)],
  ["a".repeat(124), `${"a".repeat(120)}…`],
  // Characters of two bytes: none is cut in half.
  ["é".repeat(61), "é".repeat(61)],
  ["é".repeat(62), `${"é".repeat(60)}…`],
  [`a${"é".repeat(62)}`, `a${"é".repeat(59)}…`],
])("has room for 123 bytes of a reason: %s", (text, reason) => {
  expect(closeReason(text)).toBe(reason);
});
