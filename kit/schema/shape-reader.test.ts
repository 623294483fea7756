import { describe, expect, it } from "vitest";
import { fieldPath, issueText } from "./read-json.ts";
import { type Shape, Type, withRules } from "./shape.ts";
import { type ReaderOptions, readValue } from "./shape-reader.ts";

const POINT = Type.Object({ xAxis: Type.Number(), note: Type.Optional(Type.String()) });
const SHAPE = Type.Object({
  name: Type.String({ minLength: 1 }),
  points: Type.Optional(Type.Array(POINT)),
  ownKeys: Type.Optional(Type.JsonObject()),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  either: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

function problems(shape: Shape, value: unknown, options: ReaderOptions = {}): unknown {
  const result = readValue(shape, value, options);
  return result.ok ? result.value : result.issues.map((issue) => `${fieldPath(issue.path)} ${issueText(issue)}`);
}

describe("reading by a shape", () => {
  it("renames known members at every level, and leaves unknown members and free objects as they are", () => {
    const value = { name: "n", points: [{ x_axis: 1, not_known: 2 }], own_keys: { a_b: { x_axis: 1 } }, other_one: 3 };
    expect(problems(SHAPE, value)).toEqual({
      name: "n",
      points: [{ xAxis: 1, not_known: 2 }],
      ownKeys: { a_b: { x_axis: 1 } },
      other_one: 3,
    });
  });

  it("takes null as absent where a member is optional, unless its shape has null", () => {
    const value = { name: "n", size: null, points: [{ xAxis: 1, note: null }], either: null };
    expect(problems(SHAPE, value)).toEqual({ name: "n", points: [{ xAxis: 1 }], either: null });
  });

  it("lists all that is wrong, each with its place and what must be there", () => {
    const value = { points: [{ xAxis: 1 }, { x_axis: "1", note: 2 }, null], size: 1.5, own_keys: [], either: 5 };
    expect(problems(SHAPE, value)).toEqual([
      "points[1].xAxis must be a number",
      "points[1].note must be a string",
      "points[2] must be an object",
      "size must be a whole number from 1 to 9",
      "ownKeys must be an object",
      "either must be a string",
      "name is missing",
    ]);
  });

  it.each([
    [{ name: "" }, "name is empty"],
    [{ name: null }, "name is missing"],
    [{ name: "n", size: 0 }, "size must be a whole number from 1 to 9"],
    [{ name: "n", size: 10 }, "size must be a whole number from 1 to 9"],
    [[], " must be an object"],
  ])("refuses %j", (value, problem) => {
    expect(problems(SHAPE, value)).toEqual([problem]);
  });

  it.each<[string, Shape, readonly unknown[], readonly unknown[]]>([
    [
      "a whole number",
      Type.Integer(),
      [0, -1, Number.MAX_SAFE_INTEGER],
      [1.5, 2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY, "1"],
    ],
    ["a whole number from 1 to 3", Type.Integer({ minimum: 1, maximum: 3 }), [1, 3], [0, 4]],
    ["a number", Type.Number(), [0.5, -1e300], [Number.NaN, Number.NEGATIVE_INFINITY, "1", null]],
    ["a number from 0 to 1", Type.Number({ minimum: 0, maximum: 1 }), [0, 1], [-0.1, 1.1]],
    ["a text of two characters", Type.String({ minLength: 2 }), ["ab", "abc"], ["a", "", 12]],
    ["a text of a form", Type.String({ pattern: "^a+$" }), ["a", "aa"], ["", "ab"]],
    ["a list of two", Type.Array(Type.Boolean(), { maxItems: 2 }), [[], [true, false]], [[true, true, true], [1], {}]],
    ["one of two", Type.Enum(["a", "b"]), ["a", "b"], ["A", "c", null]],
    ["either of two", Type.Union([Type.Boolean(), Type.Null()]), [true, null], [1, "null"]],
  ])("takes %s at its bounds, and nothing beyond", (_name, shape, taken, refused) => {
    expect(taken.map((value) => readValue(shape, structuredClone(value)).ok)).toEqual(taken.map(() => true));
    expect(refused.map((value) => readValue(shape, structuredClone(value)).ok)).toEqual(refused.map(() => false));
  });

  it("prefers the camelCase spelling when both are there", () => {
    expect(problems(POINT, { x_axis: 1, xAxis: 2 })).toEqual({ xAxis: 2 });
    expect(problems(POINT, { xAxis: 2, x_axis: 1 })).toEqual({ xAxis: 2 });
  });

  it.each([
    [{ x_axis: 1, xAxis: 2 }, ["xAxis is given in two spellings: keep one"]],
    [{ xAxis: 2, note: null, x_axis: "1" }, ["xAxis is given in two spellings: keep one"]],
    [{ x_axis: 1 }, { xAxis: 1 }],
  ])("refuses both spellings of one member only where it is asked to: %j", (value, expected) => {
    expect(problems(POINT, value, { oneSpelling: true })).toEqual(expected);
  });

  it("reports a required member that a function refuses once", () => {
    const shape = Type.Object({ a: Type.Custom<string>({ type: "string" }, () => undefined) });
    expect(problems(shape, { a: 1 })).toEqual(["a must be a string"]);
  });

  it("checks an object as a whole once its members are valid", () => {
    const check = () => ({ message: "a needs b" });
    const shape = Type.Object({ inner: withRules(Type.Object({ a: Type.Number() }), { check }) });
    expect([problems(shape, { inner: { a: 1 } }), problems(shape, { inner: { a: "1" } })]).toEqual([
      ["inner is wrong: a needs b"],
      ["inner.a must be a number"],
    ]);
  });

  it("removes unknown members of closed objects only where it is asked to", () => {
    const shape = Type.Object({ inner: withRules(Type.Object({ a: Type.Null() }), { closed: true }) });
    const value = () => ({ inner: { a: null, b: 1 }, c: 2 });
    expect(problems(shape, value())).toEqual(value());
    expect(problems(shape, value(), { strip: true })).toEqual({ inner: { a: null }, c: 2 });
  });

  it("keeps a key named like the prototype as plain data when members are renamed", () => {
    const read = problems(POINT, JSON.parse('{"x_axis":1,"__proto__":{"a":1}}'));
    expect([JSON.stringify(read), Object.getPrototypeOf(read)]).toEqual([
      '{"xAxis":1,"__proto__":{"a":1}}',
      Object.prototype,
    ]);
  });

  it("stops at the given number of issues", () => {
    const list = Type.Array(Type.Number());
    expect(problems(list, ["a", "b", "c"], { maxIssues: 2 })).toEqual(["[0] must be a number", "[1] must be a number"]);
  });

  it("reports what no branch of a union accepts as the first branch does", () => {
    const shape = Type.Union([Type.Array(Type.Number()), Type.Null(), Type.Boolean()]);
    expect([problems(shape, true), problems(shape, null), problems(shape, ["x"])]).toEqual([
      true,
      null,
      ["[0] must be a number"],
    ]);
  });

  it("refuses unknown members of an object that has no others", () => {
    const shape = Type.Object({ a: Type.Optional(Type.Null()) }, { additionalProperties: false });
    expect([problems(shape, {}), problems(shape, { b: 1 })]).toEqual([{}, ["b is not a known member"]]);
  });
});
