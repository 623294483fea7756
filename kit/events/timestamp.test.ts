import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { toMilliseconds, toSeconds } from "./timestamp.ts";

it.each([
  ["seconds", 1_787_140_000, 1_787_140_000_000],
  ["seconds with a fraction", 1_787_140_000.2504, 1_787_140_000_250],
  ["milliseconds", 1_787_140_000_250, 1_787_140_000_250],
  ["milliseconds with a fraction", 1_787_140_000_250.6, 1_787_140_000_251],
  ["nothing yet", 0, 0],
])("reads %s by their magnitude as whole milliseconds", (_, instant, milliseconds) => {
  verifies("event:field:timestamp", "typescript:instants");
  expect(toMilliseconds(instant)).toBe(milliseconds);
});

it("gives seconds with a fraction back", () => {
  expect(toSeconds(1_787_140_000_250)).toBe(1_787_140_000.25);
});
