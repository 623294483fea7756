import { expect, it } from "vitest";
import { toStandardBase64 } from "./base64.ts";

it.each([
  ["aGVsbG8=", "aGVsbG8="],
  ["aGVsbG8", "aGVsbG8="],
  ["-_-_", "+/+/"],
  ["-w", "+w=="],
  ["", ""],
])("reads %j as %j", (given, standard) => {
  expect(toStandardBase64(given)).toBe(standard);
});

it.each(["***", "a", "aGVs bG8=", "aGVsb", "=aaa", "aGVsbG8==="])("refuses %j", (given) => {
  expect(toStandardBase64(given)).toBeUndefined();
});
