import { expect, it } from "vitest";
import { fromWireFields, toWireFields } from "./firestore-values.ts";

it("gives back every value as it was", () => {
  const fields = {
    text: "ä",
    whole: 1_800_000_000_000,
    negative: -3,
    fraction: 1.5,
    large: 2 ** 60,
    yes: true,
    nothing: null,
    list: ["a", 1, { b: [null] }],
    map: { "a.b": { c: false }, empty: {} },
  };
  expect(fromWireFields(toWireFields({ ...fields, absent: undefined }))).toEqual(fields);
});

it("writes whole numbers as integers, so that they sort and compare as such", () => {
  expect(toWireFields({ a: 1, b: 1.5 })).toEqual({ a: { integerValue: 1 }, b: { doubleValue: 1.5 } });
});
