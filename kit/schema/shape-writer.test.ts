import { expect, it } from "vitest";
import { Type, withRules } from "./shape.ts";
import { rereaderOf, writeValue } from "./shape-writer.ts";

interface Stamp {
  readonly madeAt?: number;
  readonly byWhom: string;
}

const seconds = Type.Custom(
  { type: "number" },
  (value) => (typeof value === "number" ? value * 1000 : undefined),
  (milliseconds) => milliseconds / 1000,
);
const STAMP = Type.Table<Stamp>(
  { madeAt: Type.Optional(seconds), byWhom: Type.String() },
  { spelling: "snake_case", closed: true },
);

it("writes members in the table's order, spelling and units, and reads back what it wrote", () => {
  const stamp = { byWhom: "a", madeAt: 1500 };
  expect(JSON.stringify(writeValue(STAMP, stamp))).toBe('{"made_at":1.5,"by_whom":"a"}');
  expect(rereaderOf(STAMP)({ by_whom: "a", made_at: 1.5 })).toEqual(stamp);
});

it("writes what is inside of lists and other objects, and keeps unknown members of open ones", () => {
  const shape = withRules(Type.Object({ allStamps: Type.Array(STAMP) }), { spelling: "snake_case" });
  const value = { own_key: 1, allStamps: [{ byWhom: "a" }] };
  expect(JSON.stringify(writeValue(shape, value))).toBe('{"all_stamps":[{"by_whom":"a"}],"own_key":1}');
});

it("does not copy what is written as it is held", () => {
  const value = { a: 1 };
  expect(writeValue(Type.Object({ a: Type.Number() }), value)).toBe(value);
});
