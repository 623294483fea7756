import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { nextPath } from "./next-path.ts";

it.each([
  ["/console?find=a#run-1", "/console?find=a#run-1"],
  ["/dev-ui/?app=weather", "/dev-ui/?app=weather"],
  ["/a/../console", "/console"],
  ["/%2F%2Fevil.example", "/%2F%2Fevil.example"],
  ["/%5Cevil.example", "/%5Cevil.example"],
  [undefined, "/"],
  ["", "/"],
  ["console", "/"],
  ["//evil.example", "/"],
  ["///evil.example", "/"],
  ["/\\evil.example", "/"],
  ["\\\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["/\n\\evil.example", "/"],
  ["/.//evil.example", "/"],
  ["/a/..//evil.example", "/"],
  ["/%2e//evil.example", "/"],
  ["https://evil.example/", "/"],
  ["https:evil.example", "/"],
  ["javascript:alert(1)", "/"],
  [" /console", "/"],
  [`/${"a".repeat(2000)}`, "/"],
])("%j leads to %j", (given, expected) => {
  verifies("authentication:sign-in:page");
  expect(nextPath(given)).toBe(expected);
});
