import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { fromThrown, retryAfterOf } from "./errors.ts";

it.each(["EMFILE", "ENFILE"])("answers 503 while the process has too many open files: %s", (code) => {
  verifies("peers:files:too-many-open");
  const { httpStatus, reason, message } = fromThrown(Object.assign(new Error(`${code}: open /secret/path`), { code }));
  expect([httpStatus, reason, message]).toEqual([503, "SERVICE_UNAVAILABLE", expect.not.stringContaining("secret")]);
});

it("tells when to try again whatever is unavailable", () => {
  verifies("platform:retry-after");
  // The names of the object.
  const reasons = Object.keys(ERROR_REASONS) as readonly ErrorReason[];
  const unavailable = reasons.map((reason) => new PlatformError(reason, "No.")).filter((one) => one.httpStatus === 503);
  expect(unavailable.length).toBeGreaterThan(5);
  for (const error of unavailable) expect(retryAfterOf(error), error.reason).toMatch(/^[1-9]\d*$/);
  const asked = new PlatformError("SERVICE_UNAVAILABLE", "No.", { details: { retryAfterSeconds: "7" } });
  expect(retryAfterOf(asked)).toBe("7");
  expect(retryAfterOf(new PlatformError("INVALID_FIELD", "No."))).toBeUndefined();
});
