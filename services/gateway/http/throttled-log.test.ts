import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ThrottledLog } from "./throttled-log.ts";

it("limits the log lines of errors that callers without credentials can cause, and counts those that it left out", () => {
  verifies("authentication:requests");
  const clock = new FixedClock();
  const errors = new ThrottledLog(clock);
  const fields = () => errors.fieldsOf("IDENTITY_UNAVAILABLE");
  expect([fields(), fields(), fields()]).toEqual([{}, undefined, undefined]);
  expect([errors.fieldsOf("INTERNAL"), errors.fieldsOf("INTERNAL")]).toEqual([{}, {}]);
  clock.advance(9_999);
  expect(fields()).toBeUndefined();
  clock.advance(1);
  expect([fields(), fields()]).toEqual([{ leftOut: 3 }, undefined]);
  clock.advance(10_000);
  expect(fields()).toEqual({ leftOut: 1 });
});
