import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { isLongInteger, parseExactJson } from "./exact-json.ts";

it("integers that no number holds are the text of their digits, and other numbers are numbers", () => {
  verifies("tools:openapi:breadth");
  const json =
    '{"id":12345678901234567891,"list":[-9007199254740993,1000000000000000000,9007199254740991],"x":0.12345678901234567}';
  expect(parseExactJson(json)).toEqual({
    id: "12345678901234567891",
    list: ["-9007199254740993", 1e18, 9007199254740991],
    x: 0.12345678901234567,
  });
  expect(["12345678901234567891", "1234", 7].map((value) => isLongInteger(value))).toEqual([true, false, false]);
});
